# Disks and the page cache belong to the whole machine: read ahead, write back,
# and read everything there is, three times over the memory there is.
import os
import sys

RANGE = 1 << 20


def touch_all(wanted):
    total = 0
    while total < wanted:
        before = total
        for folder, _, names in os.walk("/usr"):
            for name in names:
                try:
                    with open(os.path.join(folder, name), "rb", buffering=0) as file:
                        while total < wanted and (part := file.read(RANGE)):
                            total += len(part)
                except OSError:
                    continue
        if total == before:
            break
    return total


interpreter = os.open(sys.executable, os.O_RDONLY)
scratch = os.open("/tmp", os.O_RDONLY)
attempt("readahead", lambda: syscall(187, interpreter, 0, RANGE))
attempt("range", lambda: syscall(277, interpreter, 0, RANGE, 4))
# sync(2) would reach every disk of the machine; this passes the same gate.
attempt("sync", lambda: syscall(306, scratch))
# Who can tell what is in the cache can watch what others read.
pages = _ctypes.create_string_buffer(4096)
attempt("residence", lambda: syscall(27, 0, 0, pages))
for _ in range(200):
    try:
        os.fsync(interpreter)
    except OSError as error:
        if error.errno != _errno.EINVAL:  # a file system that is never written, as squashfs, has no such thing
            raise
print("FLOODED", touch_all(3 * WORLD["memory_bytes"]) >> 20, flush=True)
