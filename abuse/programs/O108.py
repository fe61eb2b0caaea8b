# Flood both streams at once, in lines of a megabyte and of two bytes.
import os
import threading


def flood(fd, chunk):
    while True:
        os.write(fd, chunk)


threads = [threading.Thread(target=flood, args=args, daemon=True)
           for args in ((2, b"e" * (1 << 20)), (1, b"o" * (1 << 20)), (2, b"e\n" * 1000))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
