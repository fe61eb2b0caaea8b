# A sandbox whose /proc shows everything and can be written.
import subprocess
import sys

for name in ("sys", "sysrq-trigger"):
    _libc.umount2(f"/proc/{name}".encode(), 2)
subprocess.run([sys.executable, sys.argv[1]])
