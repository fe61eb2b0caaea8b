# Find the channel to the controller and break its protocol, by variants.
import os
import stat
import struct
import time

channels = []
for fd in range(3, 1024):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            channels.append(fd)
    except OSError:
        pass
print("CHANNELS", len(channels), "VARIANT", WORLD["run"], flush=True)


def send(data):
    for fd in channels:
        try:
            while data:
                data = data[os.write(fd, data):]
        except OSError:
            return False
    return True


variant = WORLD["run"]
if variant == 0:  # a length that promises everything
    send(struct.pack(">IB", 0xFFFFFFFF, ord("V")) + b"x" * 65536)
elif variant == 1:  # an endless frame
    send(struct.pack(">IB", 15 << 20, ord("V")))
    while send(b"x" * (1 << 20)):
        pass
elif variant == 2:  # a frame without an end
    send(struct.pack(">IB", 1000, ord("V")) + b"{")
elif variant == 3:  # no text
    send(struct.pack(">IB", 4, ord("V")) + b"\xff\xfe\x80\x81")
elif variant == 4:  # ends twice, then goes on
    done = b'{"execution":"","ok":true}'
    for _ in range(3):
        send(struct.pack(">IB", len(done), ord("Z")) + done)
    send(struct.pack(">IB", 2, ord("V")) + b"{}")
elif variant == 5:  # very many very small ones
    notice = b'{"code":"x","args":{}}'
    frames = (struct.pack(">IB", len(notice), ord("N")) + notice) * 1000
    for _ in range(1000):
        if not send(frames):
            break
elif variant == 6:  # depth
    deep = b'{"is_main_result":false,"data":{"application/json":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    send(struct.pack(">IB", len(deep), ord("V")) + deep)
elif variant == 7:  # calls where nothing can be called, and an answer of its own
    call = b'{"id":1,"name":"query","arguments":{"sql":"select 1"}}'
    send(struct.pack(">IB", len(call), ord("C")) + call)
    send(struct.pack(">IB", len(call), ord("A")) + call)
    time.sleep(3)
else:  # one byte at a time, and never the last
    for byte in struct.pack(">IB", 100, ord("V")) + b"x" * 20:
        send(bytes([byte]))
        time.sleep(0.02)
os._exit(0)
