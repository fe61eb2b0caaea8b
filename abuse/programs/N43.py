# Abstract unix sockets have no path that a mount could hide.
import socket


def connect():
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect("\0" + WORLD["abstract"])
        return peer.recv(100)


def listed():
    with open("/proc/self/net/unix") as file:
        return "@" + WORLD["abstract"] in file.read()


attempt("connect", connect)
attempt("listed", listed)
