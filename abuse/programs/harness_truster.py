# A controller that trusts what arrives on the channel: lengths and verdicts.
import json
import socket
import struct
import subprocess
import sys

ours, theirs = socket.socketpair()
run = subprocess.Popen([sys.executable, sys.argv[1]], pass_fds=[theirs.fileno()])
theirs.close()
ours.settimeout(seconds(3))
data = b""
try:
    while len(data) < 1 << 20 and (part := ours.recv(65536)):
        data += part
except OSError:
    pass
try:
    code = run.wait(1)
except subprocess.TimeoutExpired:
    run.kill()
    code = "running"
if len(data) >= 5 and struct.unpack(">I", data[:4])[0] == 0xFFFFFFFF:
    escaped("length", "4 GiB would have been set aside for one frame")
while len(data) >= 5:
    size, kind = struct.unpack(">IB", data[:5])
    payload, data = data[5:5 + size], data[5 + size:]
    if len(payload) < size:
        break
    if kind == ord("Z") and json.loads(payload)["ok"] and code != 0:
        escaped("verdict", f"ok was believed of a program that ended with {code}")
