# A host that answers whoever calls, whatever is asked, as often as it is asked.
import json
import socket
import struct
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    program = file.read()


def serve(variant):
    ours, theirs = socket.socketpair()
    text = program.replace('"run":0', f'"run":{variant}', 1)
    run = subprocess.Popen([sys.executable, "-c", text], pass_fds=[theirs.fileno()])
    theirs.close()
    ours.settimeout(seconds(3))
    numbers, served = set(), 0

    def read(size):
        data = b""
        while len(data) < size:
            part = ours.recv(size - len(data))
            if not part:
                raise OSError
            data += part
        return data

    try:
        while True:
            size, _ = struct.unpack(">IB", read(5))
            asked = json.loads(read(size))
            served += 1
            if asked["name"] != "vault":
                escaped("name", f"{asked['name']} was called, which nobody gave")
            if type(asked["arguments"].get("n")) is not int or len(asked["arguments"]) != 1:
                escaped("schema", f"vault was called with {asked['arguments']}")
            if asked["id"] in numbers:
                escaped("number", "one call was answered twice")
            numbers.add(asked["id"])
            body = json.dumps({"id": asked["id"], "kind": "json", "result": "opened"}).encode()
            ours.sendall(struct.pack(">IB", len(body), ord("A")) + body)
    except OSError:
        pass
    if served > 200:
        escaped("count", f"{served} calls were answered")
    run.kill()
    run.wait()


for variant in range(4):
    serve(variant)
