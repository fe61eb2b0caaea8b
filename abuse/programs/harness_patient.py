# A reader who looks at the clock only when the writer is done, and who rests meanwhile.
import os
import subprocess
import sys
import threading

run = subprocess.Popen([sys.executable, sys.argv[1]], stdout=subprocess.PIPE)
os.read(run.stdout.fileno(), 100)
threading.Event().wait(2 * WORLD["timeout_ms"] / 1000)
if run.poll() is None:
    escaped("alive", "after twice its time the program is still there")
run.kill()
run.wait()
