# A socket to the hypervisor.
import socket


def open_socket(kind):
    socket.socket(40, kind, 0).close()
    return "a socket"


attempt("stream", open_socket, socket.SOCK_STREAM)
attempt("datagram", open_socket, socket.SOCK_DGRAM)
