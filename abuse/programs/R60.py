# What the kernel keeps for a process: descriptors, timers, watches, buffers.
import fcntl
import os
import resource
import select
import socket

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def count(most, make):
    kept = []
    try:
        while len(kept) < most:
            kept.append(make())
        return f"{len(kept)} at once"
    finally:
        for one in kept:
            one.close() if hasattr(one, "close") else os.close(one)


def timers():
    event = (_ctypes.c_int * 16)(0, 0, 0, 1)  # SIGEV_NONE
    made = (_ctypes.c_int)()
    for _ in range(512):
        if _libc.timer_create(1, event, _ctypes.byref(made)) != 0:
            code = _ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    return "512 at once"


def buffers(wanted):
    pairs, total = [], 0
    part = b"x" * 4096
    while total < wanted:
        pair = socket.socketpair()
        pair[0].setblocking(False)
        pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        pairs.append(pair)
        try:
            while True:
                total += pair[0].send(part)
        except BlockingIOError:
            continue
    return f"{total >> 20} MiB in {len(pairs)} pairs"


def pipe():
    ours, theirs = os.pipe()
    os.close(theirs)
    return ours


def large_pipe():
    ours = pipe()
    fcntl.fcntl(ours, 1031, 1 << 20)  # F_SETPIPE_SZ
    return ours


attempt("descriptors", count, 6000, lambda: os.open("/dev/null", os.O_RDONLY))
attempt("pipes", count, 6000, pipe)
attempt("epolls", count, 6000, select.epoll)
attempt("timers", timers)
attempt("watches", lambda: syscall(294, 0))
attempt("large_pipes", count, 96, large_pipe)
print("FILLING", flush=True)
attempt("buffers", buffers, 2 * WORLD["memory_bytes"])
