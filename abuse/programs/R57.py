# Promises of memory: locked, reserved, huge.
import mmap

LOCKED, NORESERVE, HUGETLB = 0x2000, 0x4000, 0x40000
_libc.mmap.restype = _ctypes.c_long
_libc.mmap.argtypes = [_ctypes.c_void_p, _ctypes.c_size_t] + [_ctypes.c_int] * 3 + [_ctypes.c_long]


def take(size, flags):
    at = _libc.mmap(None, size, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | flags, -1, 0)
    if at == -1:
        code = _ctypes.get_errno()
        raise OSError(code, _os.strerror(code))
    return at


def locked():
    take(2 * WORLD["memory_bytes"], LOCKED)
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmLck:") and int(line.split()[1]) << 10 > WORLD["memory_bytes"]:
                return line.strip()
    return None


attempt("locked", locked)
