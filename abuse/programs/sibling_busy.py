# Work hard for a while, handle a signal, clean up at the end.
import atexit
import signal
import time

seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.05)
end = time.monotonic() + 0.2
while time.monotonic() < end:
    sum(range(1000))
atexit.register(lambda: None)
try:
    raise KeyboardInterrupt
except KeyboardInterrupt:
    print("ADMITTED", seen)
