# Mount, unmount and turn the root, by the old calls and by the new.
import os

BIND, REMOUNT, DETACH, NEWNS = 4096, 32, 2, 0x00020000
TREE, SOURCE, FOLDER = "/tmp/tree", "/usr", "/tmp/folder"
for name in (TREE, FOLDER):
    os.makedirs(name, exist_ok=True)


def apart(act):
    """In a child, with mounts of its own where that is to be had: what works is over with it."""

    def run(*args):
        child = os.fork()
        if child == 0:
            try:
                _libc.unshare(NEWNS)
                _libc.mount(b"", b"/", None, 1 << 18 | 1 << 14, None)
                act(*args)
                os._exit(0)
            except OSError as error:
                os._exit(min(error.errno, 250))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            raise OSError(abs(code), os.strerror(abs(code)))
        return "done"

    return run


def mount(source, target, kind, flags, data=None):
    syscall(165, source, target.encode(), kind, flags, data)


def pivot():
    mount(b"tmpfs", TREE, b"tmpfs", 0)
    os.makedirs(TREE + "/old")
    syscall(155, TREE.encode(), (TREE + "/old").encode())


def new_filesystem():
    context = syscall(430, b"tmpfs", 0)
    syscall(431, context, 6, None, None, 0)  # FSCONFIG_CMD_CREATE
    made = syscall(432, context, 0, 0)
    syscall(429, made, b"", -100, TREE.encode(), 4)  # MOVE_MOUNT_F_EMPTY_PATH


def copied_tree():
    tree = syscall(428, -100, b"/", 1)  # OPEN_TREE_CLONE
    syscall(429, tree, b"", -100, TREE.encode(), 4)


def writable():
    # struct mount_attr: attr_set, attr_clr (MOUNT_ATTR_RDONLY), propagation, userns_fd
    wanted = (_ctypes.c_uint64 * 4)(0, 1, 0, 0)
    syscall(442, -100, b"/", 0, _ctypes.byref(wanted), 32)


attempt("tmpfs", apart(mount), b"tmpfs", TREE, b"tmpfs", 0)
attempt("bind", apart(mount), SOURCE.encode(), TREE, None, BIND)
attempt("remount", apart(mount), b"", "/", None, REMOUNT)
attempt("proc", apart(mount), b"proc", TREE, b"proc", 0)
attempt("over_proc", apart(mount), b"tmpfs", "/proc", b"tmpfs", 0)
attempt("umount", apart(lambda: syscall(166, b"/proc", DETACH)))
attempt("uncover_input", apart(lambda: syscall(166, b"/workspace", DETACH)))
attempt("pivot", apart(pivot))
attempt("fsopen", apart(new_filesystem))
attempt("open_tree", apart(copied_tree))
attempt("mount_setattr", apart(writable))
attempt("fspick", apart(lambda: syscall(433, -100, b"/", 0)))
