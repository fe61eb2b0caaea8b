# Signals to everything that can be named.
import os
import signal

KILL, TERM = signal.SIGKILL, signal.SIGTERM


def quietly(act, *args):
    try:
        act(*args)
    except OSError:
        pass


attempt("host", lambda: os.kill(WORLD["pid"], TERM) or os.path.exists(f"/proc/{WORLD['pid']}"))
attempt("host_pidfd", lambda: signal.pidfd_send_signal(os.pidfd_open(WORLD["pid"]), 0) is None)
parent = os.getppid()
for number in (TERM, signal.SIGUSR1, signal.SIGSTOP, KILL):
    quietly(os.kill, 1, number)
    if parent > 1:
        quietly(os.kill, parent, number)
quietly(os.killpg, 0, signal.SIGCONT)
quietly(syscall, 234, 1, 1, int(TERM))  # tgkill
quietly(os.kill, -1, KILL)
print("STANDING", flush=True)
