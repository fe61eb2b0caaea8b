# Watch what others do: events on files that all runs share.
import os
import select


def inotify(path, used):
    fd = syscall(294, 0)
    try:
        syscall(254, fd, path.encode(), 0x00000FFF)
        with open(used, "rb") as file:
            file.read(1)
        if select.select([fd], [], [], 1)[0]:
            return f"{len(os.read(fd, 65536))} bytes of events on {path}"
        return None
    finally:
        os.close(fd)


def old_inotify():
    return f"descriptor {syscall(253)}"


def fanotify(flags, mark, path):
    fd = syscall(300, flags, os.O_RDONLY)
    try:
        syscall(301, fd, mark, 0x21, -100, path.encode())  # FAN_OPEN | FAN_ACCESS
        return f"descriptor {fd}"
    finally:
        os.close(fd)


attempt("library", inotify, os.path.dirname(os.__file__), os.__file__)
attempt("old", old_inotify)
attempt("input", inotify, "/workspace/input", "/workspace/input/numbers.csv")
attempt("device", inotify, "/dev/urandom", "/dev/urandom")
attempt("fanotify", fanotify, 0, 0x11, os.__file__)  # FAN_MARK_ADD | FAN_MARK_MOUNT
attempt("fanotify_by_name", fanotify, 0x200 | 0x400 | 0x800, 0x01, "/tmp")  # FAN_REPORT_FID | DIR | NAME
attempt("times", lambda: os.utime(os.__file__) or "times set")
