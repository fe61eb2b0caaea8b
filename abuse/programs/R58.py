# Push memory out to a swap device, where no limit counts it.
import mmap

PAGEOUT = 21
SIZE = 16 << 20


def swapped():
    block = mmap.mmap(-1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, SIZE, 4096):
        block[at] = 1
    address = _ctypes.addressof(_ctypes.c_char.from_buffer(block))
    _libc.madvise(_ctypes.c_void_p(address), _ctypes.c_size_t(SIZE), PAGEOUT)
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmSwap:") and int(line.split()[1]) > 1024:
                return line.strip()
    return None


attempt("swap", swapped)
