# Neighbours on one set of files: one needs a lock and a write, the other plays.
import errno
import fcntl
import os
import subprocess
import sys
import time

play = subprocess.Popen([sys.executable, sys.argv[1]])
blocked = False
while play.poll() is None and not blocked:
    with open(os.__file__, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            blocked = error.errno == errno.EWOULDBLOCK
    time.sleep(0.005)
play.wait()
if blocked:
    escaped("blocked", "a neighbour that needs the file waits")
