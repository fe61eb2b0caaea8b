# A launcher that forgets to close what it had open.
import os
import socket
import subprocess
import sys

directory = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
file = os.open(WORLD["canary_file"], os.O_RDONLY)
pair = socket.socketpair()
stdin = socket.socketpair()
subprocess.run([sys.executable, sys.argv[1]], stdin=stdin[0],
               pass_fds=[directory, file, pair[0].fileno(), pair[1].fileno()])
