# Slow, crowded and late output: by variants.
import os
import sys
import threading
import time

print("WRITING", flush=True)
variant = WORLD["run"]
if variant == 0:  # one byte at a time, until the deadline
    while True:
        os.write(1, b".")
        time.sleep(0.02)
elif variant == 1:  # fifty threads on both streams
    def write(name):
        for number in range(100):
            os.write(1 + name % 2, b"%02d:%03d " % (name, number) + b"x" * 60 + b"\n")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"last\n")
    print("LAST", flush=True)
else:  # after the streams are closed, by a child that has them still
    copy = os.dup(1)
    if os.fork() == 0:
        for _ in range(200):
            os.write(copy, b"late\n")
        os._exit(0)
    sys.stdout.close()
    os.close(2)
    os.wait()
