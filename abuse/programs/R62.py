# Refuse to stop: every signal ignored or blocked, every exception caught.
import atexit
import os
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
end = time.monotonic() + WORLD["timeout_ms"] / 1000 + 1
atexit.register(lambda: time.sleep(max(0, end - time.monotonic())))
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
    os.kill(os.getpid(), number)
print("IGNORED", flush=True)
while time.monotonic() < end:
    try:
        while time.monotonic() < end:
            pass
    except BaseException:
        continue
escaped("deadline", "still here")
