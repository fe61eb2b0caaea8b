# A host whose log daemon can be reached from inside.
import os
import select
import socket
import subprocess
import sys

os.makedirs("/run/systemd/journal", exist_ok=True)
ears = {}
for name, kind in (("/dev/log", socket.SOCK_DGRAM), ("/run/systemd/journal/socket", socket.SOCK_DGRAM),
                   ("/run/systemd/journal/stdout", socket.SOCK_STREAM)):
    ear = socket.socket(socket.AF_UNIX, kind)
    ear.bind(name)
    if kind == socket.SOCK_STREAM:
        ear.listen()
    ears[ear] = name
subprocess.run([sys.executable, sys.argv[1]])
reached = [ears[ear] for ear in select.select(list(ears), [], [], 0)[0]]
if len(reached) == len(ears):
    escaped("received", f"the log took lines at {reached}")
