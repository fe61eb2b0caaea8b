# Reach the process that this one was copied from.
import os
import signal
import stat


def shared_mapping():
    # Memory shared with the parent: what is written there, every copy sees.
    with open("/proc/self/maps") as file:
        shared = [line.split() for line in file if line.split()[1].startswith("rw-s")]
    for fields in shared:
        begin, end = (int(x, 16) for x in fields[0].split("-"))
        _ctypes.memset(begin, 0x21, min(end - begin, 4096))
        return fields[0]
    return None


def shared_offset():
    for fd in range(3, 256):
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                os.lseek(fd, 1, os.SEEK_SET)
                return fd
        except OSError:
            continue
    return None


attempt("mapping", shared_mapping)
attempt("offset", shared_offset)
deadly = (signal.SIGSTOP, signal.SIGKILL) if WORLD["run"] else ()
for number in (signal.SIGUSR1, signal.SIGTERM, *deadly):
    try:
        os.kill(os.getppid() or 1, number)
    except OSError:
        pass
for act in (lambda: os.setpgid(0, os.getppid()), lambda: os.setpgid(os.getppid(), 0), lambda: os.tcsetpgrp(0, os.getpgrp())):
    try:
        act()
    except OSError:
        pass
print("TRIED", flush=True)
