# Survivors that grow and shrink files while somebody reads them.
import os
import time

ROUND = 16 << 20


def daemon(act):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    try:
        for stream in (1, 2):
            os.dup2(os.open("/dev/null", os.O_WRONLY), stream)
        end = time.monotonic() + 4
        while time.monotonic() < end:
            act()
    finally:
        os._exit(0)


def grow():
    with open("grow.csv", "ab", buffering=0) as file:
        if file.write(b"1,2,3\n" * 1000) and os.fstat(file.fileno()).st_size > ROUND:
            file.truncate(0)


def shrink():
    with open("shrink.csv", "r+b", buffering=0) as file:
        file.write(b"x" * (1 << 20))
        file.truncate(10)


for name in ("grow.csv", "shrink.csv"):
    open(name, "wb").close()
with open("plain.txt", "w") as file:
    file.write("plain")
daemon(grow)
daemon(shrink)
while not (os.path.getsize("grow.csv") and os.path.getsize("shrink.csv")):
    time.sleep(0.001)
print("CHANGING", flush=True)
