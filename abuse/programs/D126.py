# Call functions outside in ways that nobody allowed, past the driver, by variants.
import json
import os
import select
import stat
import struct

channels = []
for fd in range(3, 1024):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            channels.append(fd)
    except OSError:
        pass
print("CHANNELS", len(channels), "VARIANT", WORLD["run"], flush=True)


def call(number, name, arguments):
    body = json.dumps({"id": number, "name": name, "arguments": arguments}).encode()
    data = struct.pack(">IB", len(body), ord("C")) + body
    while data:
        data = data[os.write(channels[0], data):]


def read(size):
    data = b""
    while len(data) < size:
        if not select.select([channels[0]], [], [], 2 * WORLD["slow"])[0]:
            raise SystemExit("nobody answers")
        data += os.read(channels[0], size - len(data))
    return data


def answer():
    size, _ = struct.unpack(">IB", read(5))
    return json.loads(read(size))


variant = WORLD["run"]
opened = 0
if variant == 0:  # what the schema forbids
    for number, arguments in enumerate(({"n": "everything"}, {"n": 1, "tenant": "other"}, {}), 1):
        call(number, "vault", arguments)
        print(answer(), flush=True)
elif variant == 1:  # what was not given
    for number, name in enumerate(("query", "__reduce__", "vault2"), 1):
        call(number, name, {"n": 1})
        print(answer(), flush=True)
elif variant == 2:  # the same call again
    for _ in range(20):
        call(1, "vault", {"n": 1})
        opened += answer()["kind"] == "json"
        print("OPENED", opened, flush=True)
else:  # more than an execution may
    for number in range(1, 300):
        call(number, "vault", {"n": 1})
        opened += answer()["kind"] == "json"
    print("OPENED", opened, flush=True)
