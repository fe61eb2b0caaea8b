# Memory that is nobody's heap: files in memory and shared mappings. Each kind
# alone is within the limit; together they are not, and all of them count.
import mmap
import os

SHARE = 46 << 20
CHUNK = b"x" * (1 << 20)


def fill(fd):
    for _ in range(SHARE >> 20):
        os.write(fd, CHUNK)


total = 0
fill(os.open("/tmp/block", os.O_CREAT | os.O_WRONLY))
total += SHARE
fill(os.open("/dev/shm/block", os.O_CREAT | os.O_WRONLY))
total += SHARE
fill(os.memfd_create("block"))
total += SHARE
shared = mmap.mmap(-1, SHARE)
for at in range(0, SHARE, 4096):
    shared[at] = 1
total += SHARE
if total > WORLD["memory_bytes"]:
    escaped("shared_memory", f"{total >> 20} MiB of {WORLD['memory_bytes'] >> 20}")
