# Everything that is not TCP.
import socket


def echo():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.settimeout(1)
        peer.sendto(b"hello", ("127.0.0.1", WORLD["udp"]))
        return peer.recv(100)


def open_socket(family, kind, protocol):
    socket.socket(family, kind, protocol).close()
    return "a socket"


attempt("udp", echo)
attempt("raw", open_socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
attempt("raw6", open_socket, socket.AF_INET6, socket.SOCK_RAW, 58)
attempt("packet", open_socket, socket.AF_PACKET, socket.SOCK_RAW, 0x0300)
attempt("ping", open_socket, socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
