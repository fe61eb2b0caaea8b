# Devices that are the machine: make a node where it may stand, or find one.
import os
import stat

PLACES = [".", "/dev", "/tmp", "/dev/shm", "/workspace"]
NODES = {
    "mem": (stat.S_IFCHR, 1, 1), "kmsg": (stat.S_IFCHR, 1, 11), "fuse": (stat.S_IFCHR, 10, 229),
    "kvm": (stat.S_IFCHR, 10, 232), "net/tun": (stat.S_IFCHR, 10, 200), "vsock": (stat.S_IFCHR, 10, 121),
    "uinput": (stat.S_IFCHR, 10, 223), "loop-control": (stat.S_IFCHR, 10, 237), "loop0": (stat.S_IFBLK, 7, 0),
}


def make(place, name, how):
    kind, major, minor = NODES[name]
    path = f"{place}/node-{name.replace('/', '-')}"
    if os.path.lexists(path):
        os.unlink(path)
    how(path, kind | 0o600, os.makedev(major, minor))
    return path


def reach(name):
    last = OSError(_errno.ENOENT, "no such device")
    paths = [f"/dev/{name}"]
    for place in PLACES:
        try:
            paths.append(make(place, name, os.mknod))
        except OSError as error:
            last = error
    for path in paths:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
            return path
        except OSError as error:
            if error.errno not in (_errno.ENOENT, _errno.EACCES):
                last = error
    raise last


for name in NODES:
    attempt(name.replace("/", "_"), reach, name)
attempt("mknod", lambda: make("/workspace/output", "mem", os.mknod) and "a device node")
attempt("by_number", lambda: make("/workspace/output", "kmsg", lambda path, mode, device: syscall(133, path.encode(), mode, device)))
attempt("mknodat", lambda: make("/workspace/output", "fuse", lambda path, mode, device: syscall(259, -100, path.encode(), mode, device)))
