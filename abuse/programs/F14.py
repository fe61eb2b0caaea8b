# Files by handle: no path, no mount and no root is asked.
import os
import struct

MAGIC = b"handle-of-a-file"


class Handle(_ctypes.Structure):
    _fields_ = [("bytes", _ctypes.c_uint32), ("type", _ctypes.c_int32), ("data", _ctypes.c_ubyte * 128)]


def name(path, flags=0):
    handle = Handle(bytes=128)
    mount = _ctypes.c_int()
    syscall(303, -100, path.encode(), _ctypes.byref(handle), _ctypes.byref(mount), flags)
    return handle


def open_handle(folder, handle):
    at = os.open(folder, os.O_RDONLY)
    try:
        return syscall(304, at, _ctypes.byref(handle), os.O_RDONLY)
    finally:
        os.close(at)


def behind_path():
    # A file below a directory that may not be entered.
    os.makedirs("/tmp/closed", exist_ok=True)
    with open("/tmp/closed/handled", "wb") as file:
        file.write(MAGIC)
    handle = name("/tmp/closed/handled")
    os.chmod("/tmp/closed", 0)
    fd = open_handle("/tmp", handle)
    found = os.read(fd, 100)
    os.close(fd)
    return found == MAGIC


def guessed():
    # The root of a disk's file system has inode 2: a walk from there is all it takes.
    handle = Handle(bytes=8, type=1)
    handle.data[:8] = struct.pack("<II", 2, 0)
    for folder in ("/", "/etc", "/etc/passwd", "/workspace/input", "/dev/null"):
        try:
            return f"{folder}: {open_handle(folder, handle)}"
        except OSError as error:
            last = error
    raise last


def identity():
    try:
        return name("/etc/passwd", 0x200) and "a handle"  # AT_HANDLE_FID: whoever cannot open by it
    except OSError as error:
        if error.errno == _errno.EINVAL and tuple(int(part) for part in os.uname().release.split(".")[:2]) < (6, 5):
            raise OSError(_errno.ENOSYS, "this kernel does not know the flag") from error
        raise


attempt("name", lambda: name("/workspace/output") and "a handle")
attempt("identity", identity)
attempt("open", behind_path)
attempt("guess", guessed)
