# End, but not quite.
import atexit
import threading
import time

end = time.monotonic() + WORLD["timeout_ms"] / 1000 + 1


def linger():
    time.sleep(max(0, end - time.monotonic()))
    escaped("deadline", "still here")


atexit.register(linger)
threading.Thread(target=linger).start()
print("ALMOST", flush=True)
