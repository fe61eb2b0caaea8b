# The other address family, and addresses that need no route.
import socket
import struct

HERE = "127.0.0.1"


def connect6(host, port=None):
    server = None
    if port is None:  # no listener of ours speaks this family: be one
        server = socket.socket(socket.AF_INET6)
        server.bind((host, 0))
        server.listen()
        port = server.getsockname()[1]
    try:
        with socket.create_connection((host, port), timeout=seconds(1)) as peer:
            return f"connected to {peer.getpeername()[0]}"
    finally:
        if server:
            server.close()


def datagram6(host, port):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as peer:
        return f"{peer.sendto(b'hello', (host, port, 0, socket.if_nametoindex('lo')))} bytes sent"


def group(address, port, text):
    # Heard by everybody who listens, on every machine of the network.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.bind(("", port))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(address) + socket.inet_aton(HERE))
        ear.settimeout(seconds(1))
        mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(HERE))
        mouth.sendto(text, (address, port))
        return f"{len(ear.recv(1000))} bytes heard"


def broadcast():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
        mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return f"{mouth.sendto(b'hello', ('127.255.255.255', 5353))} bytes sent"


def join6():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as ear:
        wanted = socket.inet_pton(socket.AF_INET6, "ff02::fb") + struct.pack("@I", socket.if_nametoindex("lo"))
        ear.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, wanted)
        return "joined"


def neighbours():
    with open("/proc/net/if_inet6") as file:
        return file.read().split() or None


QUESTION = b"\0\0\0\0\0\1\0\0\0\0\0\0\7printer\5local\0\0\1\0\1"
attempt("loopback6", connect6, "::1")
attempt("mapped", connect6, "::ffff:127.0.0.1", WORLD["tcp"])
attempt("datagram6", datagram6, "::1", 9)
attempt("link_local", lambda: socket.create_connection(("169.254.169.254", WORLD["tcp"]), 1).recv(100))
attempt("mdns", group, "224.0.0.251", 5353, QUESTION)
attempt("llmnr", group, "224.0.0.252", 5355, QUESTION)
attempt("ssdp", group, "239.255.255.250", 1900, b"M-SEARCH * HTTP/1.1\r\n\r\n")
attempt("broadcast", broadcast)
attempt("join6", join6)
attempt("interfaces", neighbours)
