# Hold space under no name, in a process that stays.
import os
import time

CHUNK = b"x" * (1 << 20)
HOLD = 12


def used(folder):
    room = os.statvfs(folder)
    return (room.f_blocks - room.f_bfree) * room.f_frsize


def fill(fd):
    for _ in range(HOLD):
        if os.write(fd, CHUNK) != len(CHUNK):
            raise OSError(_errno.ENOSPC, "short write")
    return fd


def deleted(path):
    fd = os.open(path, os.O_CREAT | os.O_RDWR)
    os.unlink(path)
    return fill(fd)


def unnamed(folder):
    return fill(os.open(folder, os.O_TMPFILE | os.O_RDWR))


def more(folder):
    fds = []
    try:
        for _ in range(3):
            fds.append(unnamed(folder))
    finally:
        for fd in fds:
            os.close(fd)
    return f"{len(fds) * HOLD} MiB"


def kept_from_before():
    # Nothing has a name here, so nothing should take space.
    taken = {folder: used(folder) for folder in ("/workspace/output", "/tmp", "/dev/shm") if used(folder) > 4 << 20}
    return taken or None


attempt("held_over", kept_from_before)
holding = [deleted("gone.bin"), unnamed("."), deleted("/tmp/gone.bin"), unnamed("/dev/shm")]
print("HOLDING", len(holding), used(".") >= 2 * HOLD << 20, flush=True)
if os.fork() == 0:
    os.setsid()
    for stream in (1, 2):
        os.dup2(os.open("/dev/null", os.O_WRONLY), stream)
    time.sleep(8)
    os._exit(0)
attempt("output_full", more, ".")
attempt("tmp_full", more, "/tmp")
