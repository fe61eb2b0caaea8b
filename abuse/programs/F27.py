# Fill every writable place with more than it may hold, each in its own way.
import mmap
import os

MORE = 64 << 20
CHUNK = b"x" * (1 << 20)


def write(path):
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range(MORE >> 20):
                if file.write(CHUNK) != len(CHUNK):
                    raise OSError(_errno.ENOSPC, "short write")
    finally:
        os.unlink(path)
    return path


def allocate(path):
    file = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        os.posix_fallocate(file, 0, MORE)
    finally:
        os.close(file)
        os.unlink(path)
    return path


def map_file(path):
    child = os.fork()
    if child == 0:  # a full file system answers a touch with SIGBUS
        file = os.open(path, os.O_CREAT | os.O_RDWR)
        os.unlink(path)
        os.truncate(file, MORE)
        with mmap.mmap(file, MORE) as pages:
            for at in range(0, MORE, 4096):
                pages[at] = 1
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        raise OSError(_errno.ENOSPC, "SIGBUS")
    return path


def unnamed(folder):
    file = os.open(folder, os.O_TMPFILE | os.O_RDWR)
    try:
        for _ in range(MORE >> 20):
            if os.write(file, CHUNK) != len(CHUNK):
                raise OSError(_errno.ENOSPC, "short write")
    finally:
        os.close(file)
    return folder


attempt("output_write", write, "fill.bin")
attempt("output_allocate", allocate, "fill.bin")
attempt("tmp_write", write, "/tmp/fill.bin")
attempt("tmp_map", map_file, "/tmp/fill.bin")
attempt("tmp_unnamed", unnamed, "/tmp")
attempt("shm_write", write, "/dev/shm/fill.bin")
