# Native code that behaves: libraries call C all the time.
import ctypes
import mmap
import resource

libc = ctypes.CDLL(None)
with mmap.mmap(-1, 1 << 20) as pages:
    pages[0] = 1
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 4)(3, 1, 2, 0)
libc.qsort(numbers, 4, 4, compare(lambda a, b: a[0] - b[0]))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print("ADMITTED", list(numbers), libc.getpid() > 0)
