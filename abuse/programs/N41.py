# Talk to the kernel's own services.
import socket


def open_socket(family, kind, protocol):
    socket.socket(family, kind, protocol).close()
    return "a socket"


NETLINK = 16
attempt("route", open_socket, NETLINK, socket.SOCK_RAW, 0)
attempt("xfrm", open_socket, NETLINK, socket.SOCK_RAW, 6)
attempt("audit", open_socket, NETLINK, socket.SOCK_RAW, 9)
attempt("netfilter", open_socket, NETLINK, socket.SOCK_RAW, 12)
attempt("uevent", open_socket, NETLINK, socket.SOCK_RAW, 15)
attempt("rxrpc", open_socket, 33, socket.SOCK_DGRAM, 2)
attempt("key", open_socket, 15, socket.SOCK_RAW, 2)
attempt("xdp", open_socket, 44, socket.SOCK_RAW, 0)
