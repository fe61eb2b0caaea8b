# Write into the host's log: datagrams to whoever keeps it.
import logging.handlers
import os
import socket


def send(path, kind=socket.SOCK_DGRAM):
    with socket.socket(socket.AF_UNIX, kind) as peer:
        peer.connect(path)
        return f"{peer.send(b'<13>cellwall-abuse: written from inside')} bytes to {path!r}"


def unconnected(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        return f"{peer.sendto(b'<13>cellwall-abuse: written from inside', path)} bytes to {path!r}"


def over_pair():
    # A socket that is allowed, sent elsewhere than to its peer.
    first, second = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with first, second:
        return f"{first.sendto(b'<13>cellwall-abuse: written from inside', '/dev/log')} bytes"


def handler():
    log = logging.handlers.SysLogHandler("/dev/log")
    failed = []
    log.handleError = failed.append
    log.emit(logging.LogRecord("abuse", logging.INFO, "", 0, "written from inside", None, None))
    log.close()
    return not failed and "logged"


def message():
    # sendmsg with an address of its own.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        return f"{peer.sendmsg([b'PRIORITY=6', b'MESSAGE=x'], [], 0, '/run/systemd/journal/socket')} bytes"


attempt("log", send, "/dev/log")
attempt("unconnected", unconnected, "/dev/log")
attempt("pair", over_pair)
attempt("journal", message)
attempt("journal_stream", send, "/run/systemd/journal/stdout", socket.SOCK_STREAM)
attempt("abstract", unconnected, "\0" + WORLD["abstract"] + "-log")
attempt("handler", handler)
attempt("present", lambda: [p for p in ("/dev/log", "/run/systemd/journal", "/var/log/journal", "/run/log") if os.path.exists(p)] or None)
_libc.openlog(b"cellwall-abuse", 0, 8)
_libc.syslog(6, b"written from inside")
