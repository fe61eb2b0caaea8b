# Every family and every type: only unix sockets are known inside.
import socket


def sweep():
    got = set()
    for family in range(52):
        for kind in (1, 2, 3, 4, 5, 6, 10):
            for protocol in (0, 1):
                try:
                    socket.socket(family, kind, protocol).close()
                except OSError:
                    continue
                if family != socket.AF_UNIX:
                    got.add(family)
    return sorted(got) or None


attempt("families", sweep)
