# Ask the cloud's metadata service for the machine's credentials.
import socket
import urllib.request


def connect(host):
    with socket.create_connection((host, WORLD["tcp"]), timeout=seconds(1)) as peer:
        return peer.recv(100)


def fetch():
    # Whatever answers is no HTTP server: that it answered is enough.
    try:
        return urllib.request.urlopen(f"http://169.254.169.254:{WORLD['tcp']}/latest/meta-data/", timeout=seconds(1)).read(100)
    except OSError:
        raise
    except Exception as error:
        return repr(error)


attempt("v4", connect, "169.254.169.254")
attempt("v6", connect, "fd00:ec2::254")
attempt("name", lambda: socket.getaddrinfo("metadata.google.internal", 80)[0][4])
attempt("http", fetch)
