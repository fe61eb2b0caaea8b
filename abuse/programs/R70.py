# Turn the clock back, then take more time than there is.
import time

end = time.monotonic() + WORLD["timeout_ms"] / 1000 + 1

nothing = _ctypes.create_string_buffer(256)  # of modes to change: adjtimex then only tells
gate("settime", 227, 0, 1, answer=_errno.EFAULT)
gate("settimeofday", 164, 0, 0)
gate("adjtimex", 159, nothing)
gate("clock_adjtime", 305, 0, nothing)
time.time = time.monotonic = lambda: 0.0
time.sleep = lambda _: None
libc_time = _ctypes.CDLL(None).clock_gettime
now = (_ctypes.c_long * 2)()
print("FROZEN", flush=True)
while libc_time(1, now) or now[0] + now[1] / 1e9 < end:
    pass
escaped("deadline", "the clock was believed")
