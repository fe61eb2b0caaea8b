# Every way to change what an execution was given ahead, tried on it and, as the
# control, on a file and on memory of its own.
import ctypes
import json
import mmap
import os
import shutil

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]


def content(path):
    with open(path, "rb") as file:
        return file.read()


def shared(path):
    """A view of the file that is mapped for reading, and shared; of a descriptor that may write, if it is to be had."""
    try:
        fd = os.open(path, os.O_RDWR)
    except OSError:
        fd = os.open(path, os.O_RDONLY)
    at = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    os.close(fd)
    assert at not in (None, ctypes.c_void_p(-1).value)
    return at


def checked(result):
    if result in (-1, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "refused")
    return result


def write(path):
    with open(path, "r+b") as file:
        file.write(b"X")


def reopen(path):
    with open(path, "rb") as file:
        write(f"/proc/self/fd/{file.fileno()}")


def mapping(path):
    at = shared(path)
    checked(libc.mprotect(at, 4096, mmap.PROT_READ | mmap.PROT_WRITE))
    ctypes.memset(at, ord("X"), 1)


def moved(path):
    at = checked(libc.mremap(shared(path), 4096, 8192, 1))
    checked(libc.mprotect(at, 4096, mmap.PROT_READ | mmap.PROT_WRITE))
    ctypes.memset(at, ord("X"), 1)


def through_proc(path):
    """Writes where a mapping that may be written lies, through /proc; one that may not is made so first."""
    at = shared(path)
    libc.mprotect(at, 4096, mmap.PROT_READ | mmap.PROT_WRITE)
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(at)
        memory.write(b"X")


def replaced(path):
    with open("/tmp/other", "wb") as file:
        file.write(b"X")
    shutil.copyfile("/tmp/other", path)


WAYS = {
    "write": write,
    "reopen": reopen,
    "truncate": lambda path: os.truncate(path, 1),
    "mode": lambda path: (os.chmod(path, 0o666), write(path)),
    "mapping": mapping,
    "moved": moved,
    "proc": through_proc,
    "replaced": replaced,
    "renamed": lambda path: os.rename(path, path + "2"),
    "removed": os.remove,
    "added": lambda path: write_new(os.path.dirname(path) + "/added"),
}


def write_new(path):
    with open(path, "xb") as file:
        file.write(b"X")


def changed(way, path):
    """Whether a way changed the file or its folder."""
    before = content(path), sorted(os.listdir(os.path.dirname(path)))
    try:
        WAYS[way](path)
    except (OSError, AssertionError):
        pass
    if not os.path.exists(path):
        return True
    return (content(path), sorted(os.listdir(os.path.dirname(path)))) != before


given = "/workspace/input/" + sorted(os.listdir("/workspace/input"))[0]
got, control = [], []
for way in WAYS:
    os.makedirs("/workspace/output/own", exist_ok=True)
    own = "/workspace/output/own/file"
    shutil.copyfile(given, own)
    os.chmod(own, 0o644)
    if changed(way, own):
        control.append(way)
    shutil.rmtree("/workspace/output/own")
    if changed(way, given):
        got.append(way)

# Memory: what is changed here is this process's own copy.
numbers = df["amount"].to_numpy()
ctypes.memset(numbers.ctypes.data, 0, numbers.nbytes)
text = df["kind"].iloc[0]
ctypes.memset(id(text) + type(text).__sizeof__("") - 1, ord("Z"), len(text))
with open("/proc/self/mem", "r+b", buffering=0) as memory:
    memory.seek(id(df["note"].iloc[0]))
    memory.write(b"\xff\xff\xff\x3f")
here = bool((df["amount"] == 0).all()) and text.startswith("Z")

# Others: who else is there, and can be reached.
others = []
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) != os.getpid():
        for file in ("mem", "maps", "environ"):
            try:
                with open(f"/proc/{name}/{file}", "r+b" if file == "mem" else "rb"):
                    others.append(f"{name} {file}")
            except OSError:
                pass
for pid in {os.getppid(), 1} - {0}:
    if libc.ptrace(16, pid, None, None) == 0:
        others.append(f"ptrace {pid}")
files = []
for fd in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        continue
    if "memfd" in target or "template" in target:
        files.append(target)
print(json.dumps({"changed": got, "control": sorted(control), "ways": sorted(WAYS), "here": here, "others": others, "files": files}))
os._exit(0)
