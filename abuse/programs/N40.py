# The kernel's cryptography by socket.
import socket


def cipher():
    with socket.socket(38, socket.SOCK_SEQPACKET, 0) as peer:
        peer.bind(("hash", "sha256"))
        return "a socket"


attempt("hash", cipher)
attempt("socket", lambda: socket.socket(38, socket.SOCK_SEQPACKET, 0).close() or "a socket")
