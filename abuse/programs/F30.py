# Signals to others by locks on files that all runs share.
import fcntl
import glob
import os
import signal
import struct
import sysconfig
import time

shared = os.__file__
signal.signal(signal.SIGIO, signal.SIG_IGN)
own = open("/workspace/output/own.txt", "w+")
stdlib = open(shared, "rb")


def lease(kind):
    # Whoever opens the file for writing waits until the lease is broken.
    fcntl.fcntl(stdlib, fcntl.F_SETLEASE, kind)
    return fcntl.fcntl(stdlib, fcntl.F_GETLEASE) == kind


def notify():
    fd = os.open(os.path.dirname(shared), os.O_RDONLY)
    fcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
    return "told of every access"


def owner(number):
    read, _write = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, number)
    fcntl.fcntl(read, 10, 9)  # F_SETSIG, SIGKILL
    return f"signals go to {number}"


def write_lock():
    # A lock that excludes others asks for a file that is open for writing.
    fcntl.lockf(stdlib, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "excluded"


attempt("lease_read", lease, fcntl.F_RDLCK)
attempt("lease_write", lambda: fcntl.fcntl(own, fcntl.F_SETLEASE, fcntl.F_WRLCK) == 0)
attempt("notify", notify)
attempt("owner", owner, os.getpid())
attempt("owner_group", owner, -os.getpgrp())
attempt("write_lock", write_lock)
# What can be locked is locked while a neighbour works: nothing it needs waits for it.
locked = []
for path in [*glob.glob(sysconfig.get_path("stdlib") + "/*.py"), "/dev/null", "/dev/urandom", "/dev/zero", "/usr/lib", "/usr", "/"]:
    try:
        fd = os.open(path, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.fcntl(fd, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0))
        locked.append(fd)
    except OSError:
        continue
time.sleep(seconds(1))
print("LOCKED", len(locked) > 50)
