# Fork until something says no, by three calls; then without end.
import os
import signal
import time

TOO_MANY = WORLD["processes"] + 16


def count(fork):
    children = []
    try:
        while len(children) < TOO_MANY:
            pid = fork()
            if pid == 0:
                _libc.pause()
                _libc._exit(0)
            children.append(pid)
        return f"{len(children)} at once"
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def by_clone3():
    args = (_ctypes.c_uint64 * 8)(0, 0, 0, 0, 17, 0, 0, 0)
    return syscall(435, _ctypes.byref(args), 64)


def by_libc():
    pid = _libc.fork()
    if pid < 0:
        code = _ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return pid


attempt("fork", count, os.fork)
attempt("libc", count, by_libc)
attempt("clone3", count, by_clone3)
end = time.monotonic() + 0.5
while time.monotonic() < end:
    try:
        os.fork()  # children too: a bomb
    except OSError:
        pass
