# Filters of one's own, and what a process may say about itself.
import os
import socket
import struct

SECCOMP, NEW_LISTENER = 317, 8
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
GETPPID, WRITE = 110, 1


class Program(_ctypes.Structure):
    _fields_ = [("length", _ctypes.c_ushort), ("filter", _ctypes.c_void_p)]


def install(number, answer, flags=0):
    """A filter that gives one call an answer of ours, and allows every other."""
    words = struct.pack("HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0, 0x15, 0, 1, number, 0x06, 0, 0, answer, 0x06, 0, 0, ALLOW)
    buffer = _ctypes.create_string_buffer(words)
    program = Program(4, _ctypes.cast(buffer, _ctypes.c_void_p))
    return syscall(SECCOMP, 1, flags, _ctypes.byref(program))


PDEATHSIG, DUMPABLE, NAME, NO_NEW_PRIVS = 1, 4, 15, 38
_libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
_libc.prctl(NAME, b"cellwall")
_libc.prctl(DUMPABLE, 0)
_libc.prctl(PDEATHSIG, 9)
install(GETPPID, ERRNO | 71)


def override():
    """An own filter that allows a call which the wall refuses."""
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()
    return "allowed"


attempt("override", override)
attempt("listener", lambda: install(GETPPID, 0x7FC00000, NEW_LISTENER) >= 0)
print("RESTRICTED", os.getppid() < 0 or _ctypes.get_errno(), flush=True)
if WORLD["run"] == 1:  # whatever is written from here on is lost, and said to be written
    install(WRITE, ERRNO)
if WORLD["run"] == 2:  # nor can it be left
    for number in (60, 231, 15, 20, 46, 44):
        install(number, ERRNO)
    install(WRITE, ERRNO)
