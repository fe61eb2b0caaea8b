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
ours = []
for end in pair:
    end.setblocking(False)
    while True:
        try:
            rights = socket.recv_fds(end, 4096, 253)[1]
        except OSError:
            break
        if not rights:
            break
        ours += rights
if len(ours) > 100:
    escaped("rights", f"{len(ours)} descriptors came with what was read")
