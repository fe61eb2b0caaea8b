# A survivor swaps a file, a link and a folder while the controller collects.
import os
import signal

with open("swap.txt", "w") as file:
    file.write("real")
ready, go = os.pipe()
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        for _ in range(400_000):
            os.symlink(WORLD["canary_file"], "link")
            os.rename("link", "swap.txt")
            with open("new", "w") as file:
                file.write("real")
            os.rename("new", "swap.txt")
            if go:
                os.write(go, b"x")
                os.close(go)
                go = 0
    os._exit(0)
os.read(ready, 1)
print("SWAPPING")
