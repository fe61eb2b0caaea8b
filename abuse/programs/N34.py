# Reach anything over TCP: the internet, the local network, the host itself.
import socket
import time


def connect(host):
    begin = time.monotonic()
    try:
        with socket.create_connection((host, WORLD["tcp"]), timeout=3) as peer:
            return peer.recv(100) or b"connected"
    finally:
        if time.monotonic() - begin > seconds(1):
            escaped("slow", f"{host} took {time.monotonic() - begin:.1f} s to fail")


attempt("loopback", connect, "127.0.0.1")
attempt("internet", connect, "192.0.2.1")
attempt("lan", connect, "10.0.0.1")
attempt("gateway", connect, "192.168.1.1")
attempt("bridge", connect, "172.17.0.1")
attempt("name", connect, "localhost")
