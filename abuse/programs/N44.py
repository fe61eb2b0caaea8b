# Sockets by path: the container engine, the message bus, the controller.
import itertools
import os
import socket
import stat


def connect(path):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(1)
        peer.connect(path)
        return peer.recv(100) or "connected"


def scan():
    last = OSError(_errno.ENOENT, "no such file")
    # First where such things lie, then everywhere.
    for folder, _, names in itertools.chain.from_iterable(map(os.walk, ("/tmp", "/run", "/home", "/"))):
        if folder.startswith(("/proc", "/sys", "/usr")):
            continue
        for name in names:
            path = os.path.join(folder, name)
            try:
                if stat.S_ISSOCK(os.lstat(path).st_mode):
                    return connect(path)
            except OSError as error:
                last = error
    raise last


def known():
    for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket",
                 "/tmp/.X11-unix/X0", "/run/cellwall/control.sock", "/var/lib/cellwall/cellwall.sock", "/dev/log"):
        if os.path.exists(path):
            return path
    return None


attempt("controller", connect, WORLD["socket"])
attempt("scan", scan)
attempt("known", known)
