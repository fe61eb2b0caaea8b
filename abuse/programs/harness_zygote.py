# A zygote that shares memory, a file and its control channel with its children.
import mmap
import os
import signal
import socket
import sys

banner = mmap.mmap(-1, 4096)
banner[:5] = b"clean"
file = os.open("/etc/passwd", os.O_RDONLY)
ours, theirs = socket.socketpair()
os.set_inheritable(theirs.fileno(), True)
with open(sys.argv[1]) as text:
    code = compile(text.read(), "<cell>", "exec")


def child():
    pid = os.fork()
    if pid == 0:
        try:
            exec(code, {"__name__": "__main__"})
        finally:
            os._exit(0)
    os.waitpid(pid, os.WUNTRACED)


signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGUSR1, lambda *_: escaped("signalled", "a child's signal reached the zygote"))
child()
if banner[:5] != b"clean":
    escaped("poisoned", "the next child would see " + repr(bytes(banner[:5])))
ours.settimeout(seconds(1))
ours.sendall(b"run the next request")
try:
    if ours.recv(100):
        escaped("answered", "a child answered in the zygote's name")
except OSError:
    pass
