# Leave a daemon behind: double fork, own session, holding the output.
import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(0.7)
        try:
            escaped("daemon", "it outlived the run")
            with open("late.txt", "w") as file:
                file.write("ESCAPED daemon wrote an artifact\n")
        except OSError:
            pass  # nobody listens any more: live on in silence
        time.sleep(seconds(10))
    os._exit(0)
os.wait()
print("LEFT", flush=True)
