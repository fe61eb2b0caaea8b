# A launcher that runs programs on its own terminal.
import fcntl
import os
import subprocess
import sys

os.makedirs("/dev/pts", exist_ok=True)
if _libc.mount(b"devpts", b"/dev/pts", b"devpts", 0, b"newinstance,ptmxmode=0666") != 0:
    raise OSError(_ctypes.get_errno(), "mount devpts")
master = os.open("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(master, 0x40045431, b"\0\0\0\0")  # TIOCSPTLCK
terminal = os.open("/dev/pts/0", os.O_RDWR | os.O_NOCTTY)
with open("/dev/tty", "w"):  # a node to cover: the file system of /dev is ours
    pass


def take():
    os.setsid()
    fcntl.ioctl(terminal, 0x540E, 0)  # TIOCSCTTY


subprocess.run([sys.executable, sys.argv[1]], stdin=terminal, preexec_fn=take)
