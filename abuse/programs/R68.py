# Look into and steer other processes.
import os
import signal

parent = os.getppid() or 1


class Vector(_ctypes.Structure):
    _fields_ = [("base", _ctypes.c_void_p), ("length", _ctypes.c_size_t)]


def trace_me():
    child = os.fork()
    if child == 0:
        os._exit(0 if _libc.ptrace(0, 0, None, None) == 0 else min(_ctypes.get_errno(), 250))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise OSError(code, os.strerror(code))
    return "traced"


def read_other():
    with open("/proc/self/maps") as file:
        address = int(file.readline().split("-")[0], 16)
    child = os.fork()
    if child == 0:
        _libc.pause()
    buffer = _ctypes.create_string_buffer(16)
    local, remote = Vector(_ctypes.addressof(buffer), 16), Vector(address, 16)
    try:
        return syscall(310, child, _ctypes.byref(local), 1, _ctypes.byref(remote), 1, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def take_descriptor():
    return syscall(438, os.pidfd_open(parent), 0, 0)


def parent_memory():
    return os.open(f"/proc/{parent}/mem", os.O_RDWR)


attempt("ptrace", trace_me)
attempt("vm_readv", read_other)
attempt("pidfd_getfd", take_descriptor)
attempt("parent_memory", parent_memory)
