# Put words into the terminal of whoever started this, and take it over.
import fcntl
import os

TIOCSTI, TIOCSCTTY = 0x5412, 0x540E


def on_streams(act):
    """The first of the standard streams that lets us, else the last refusal."""
    refusal = None
    for fd in range(3):
        try:
            return f"descriptor {fd}: {act(fd)}"
        except OSError as error:
            refusal = error
    raise refusal


attempt("inject", on_streams, lambda fd: fcntl.ioctl(fd, TIOCSTI, b"x"))
attempt("foreground", on_streams, lambda fd: os.tcsetpgrp(fd, os.getpgrp()))
attempt("take", on_streams, lambda fd: fcntl.ioctl(fd, TIOCSCTTY, 1))
attempt("terminal", lambda: os.open("/dev/tty", os.O_RDWR))
attempt("pseudo", lambda: [os.open(name, os.O_RDWR | os.O_NOCTTY) for name in ("/dev/pts/ptmx",)])
