# Signals among one's own.
import os
import signal
import subprocess
import sys

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
child.terminate()
ended = child.wait()
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(3)
os.waitpid(pid, os.WUNTRACED)
os.kill(pid, signal.SIGCONT)
print("ADMITTED", ended, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
