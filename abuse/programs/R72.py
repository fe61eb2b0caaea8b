# Kernel machinery that has a history.
import struct

# BPF_MAP_CREATE of an array of one word.
create_map = struct.pack("IIII", 2, 4, 4, 1) + bytes(112)
# PERF_TYPE_SOFTWARE, size 112, PERF_COUNT_SW_TASK_CLOCK, disabled and user space only.
count_clock = struct.pack("IIQQQQQ", 1, 112, 1, 0, 0, 0, 0b1100001) + bytes(64)
attempt("bpf", lambda: syscall(321, 0, create_map, len(create_map)))
attempt("perf", lambda: syscall(298, count_clock, 0, -1, -1, 0))
attempt("userfaultfd", lambda: syscall(323, 1))  # UFFD_USER_MODE_ONLY
