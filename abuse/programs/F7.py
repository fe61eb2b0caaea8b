# Replace what the next run will open without a thought: the devices.
import os
import stat


def replaced():
    for name in ("null", "zero", "urandom"):
        info = os.lstat(f"/dev/{name}")
        if not stat.S_ISCHR(info.st_mode):
            return f"/dev/{name} is {stat.filemode(info.st_mode)}"
    if os.path.islink("/dev"):
        return "/dev is a link"
    with open("/dev/null", "rb") as file:
        return file.read(10) or None


def replace(name):
    os.unlink(name)
    os.symlink(WORLD["canary_file"], name)
    return name


def exchange():
    # What a link cannot replace, a name of its own can: renameat2, RENAME_EXCHANGE.
    os.symlink(WORLD["canary_file"], "/dev/shm/link")
    try:
        syscall(316, -100, b"/dev/shm/link", -100, b"/dev/random", 2)
    finally:
        os.unlink("/dev/shm/link")
    return "/dev/random"


def move_away():
    os.rename("/dev", "/dev-old")
    os.symlink("/dev-old", "/dev")
    return "/dev"


def terminal():
    # The terminal of whoever looks on: its name is all that it takes.
    os.makedirs("/dev/pts", exist_ok=True)
    os.symlink(WORLD["canary_file"], "/dev/pts/0")
    return "/dev/pts/0"


attempt("poisoned", replaced)
attempt("null", replace, "/dev/null")
attempt("exchange", exchange)
attempt("link_inside", lambda: os.symlink("/proc/self/mem", "/dev/mem") or "/dev/mem")
attempt("stdout", replace, "/dev/stdout")
attempt("terminal", terminal)
attempt("mode", lambda: os.chmod("/dev/zero", 0o666) or "mode set")
attempt("times", lambda: os.utime("/dev/zero") or "times set")
attempt("directory", move_away)
print("DEVICES", sorted(os.listdir("/dev")))
