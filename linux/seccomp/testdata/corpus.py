"""What analysts' code uses of the standard library, under the filter.

Each function is one feature; it raises when the feature does not work. None of
them may make a call that the filter refuses and counts.
"""

import asyncio
import concurrent.futures
import contextlib
import ctypes
import ctypes.util
import fcntl
import getpass
import glob
import gzip
import io
import lzma
import mmap
import multiprocessing
import multiprocessing.shared_memory
import os
import platform
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import uuid
import zipfile


def square(x):
    return x * x


def threads():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(square, range(8))) == [x * x for x in range(8)]
    t = threading.Thread(target=time.sleep, args=(0,))
    t.start()
    t.join()


def processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(4)) == [0, 1, 4, 9]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
    lock = multiprocessing.Lock()
    with lock:
        queue = multiprocessing.get_context("fork").Queue()
        queue.put(1)
        assert queue.get() == 1
    shared = multiprocessing.shared_memory.SharedMemory(create=True, size=4096)
    shared.buf[0] = 1
    shared.close()
    shared.unlink()


def subprocesses():
    assert subprocess.check_output([sys.executable, "-I", "-c", "print(1)"]) == b"1\n"
    p = subprocess.Popen([sys.executable, "-I", "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    p.communicate(b"x\n", timeout=60)
    assert p.returncode == 0
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def coroutines():
    async def main():
        async def child():
            p = await asyncio.create_subprocess_exec(sys.executable, "-I", "-c", "pass")
            return await p.wait()

        await asyncio.to_thread(time.sleep, 0)
        left, right = socket.socketpair()
        reader, _ = await asyncio.open_connection(sock=left)
        right.sendall(b"hello\n")
        assert await reader.readline() == b"hello\n"
        right.close()
        return await asyncio.gather(child(), asyncio.sleep(0, 0))

    assert asyncio.run(main()) == [0, 0]


def signals():
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    while not seen:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGUSR1)
    assert signal.SIGUSR1 in signal.sigpending()
    assert signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1


def databases(place):
    for path in (":memory:", os.path.join(place, "a.db")):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("pragma journal_mode=wal")
            db.execute("create table t(x)")
            db.executemany("insert into t values(?)", [(i,) for i in range(100)])
            db.commit()
            assert db.execute("select sum(x) from t").fetchone() == (4950,)


def files(place):
    def inside(name):
        return os.path.join(place, name)

    with open(inside("a"), "wb") as f:
        f.write(b"abc" * 1000)
        f.flush()
        os.fsync(f.fileno())
        fcntl.flock(f, fcntl.LOCK_EX)
        fcntl.lockf(f, fcntl.LOCK_EX)
        os.truncate(f.fileno(), 100)
        os.posix_fallocate(f.fileno(), 0, 200)
        assert not f.isatty()
    shutil.copy2(inside("a"), inside("b"))
    shutil.copytree(place, inside("../tree"))
    shutil.move(inside("b"), inside("c"))
    os.symlink("c", inside("d"))
    os.link(inside("c"), inside("e"))
    os.chmod(inside("c"), 0o600)
    os.utime(inside("c"), (1, 1))
    os.mkfifo(inside("f"))
    os.makedirs(inside("x/y"))
    os.chown(inside("c"), -1, -1)
    assert len(glob.glob(inside("*"))) > 4
    assert list(os.scandir(place)) and os.statvfs(place).f_bsize
    fd = os.memfd_create("x")
    with mmap.mmap(os.truncate(fd, 4096) or fd, 4096) as m:
        m[0] = 1
        m.flush()
    os.close(fd)
    left, right = os.pipe()
    fcntl.fcntl(left, 1031, 65536)
    os.writev(right, [b"a", b"b"])
    assert os.readv(left, [bytearray(2)]) == 2
    os.close(left)
    os.close(right)
    with tempfile.NamedTemporaryFile() as t, tempfile.TemporaryFile() as u, tempfile.SpooledTemporaryFile() as v:
        t.write(b"x"), u.write(b"x"), v.write(b"x")


def archives(place):
    path = os.path.join(place, "z.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a", "b")
    with zipfile.ZipFile(path) as z:
        z.extractall(os.path.join(place, "unzipped"))
    path = os.path.join(place, "t.tar.gz")
    with tarfile.open(path, "w:gz") as t:
        t.add(os.path.join(place, "unzipped"), "u")
    with tarfile.open(path) as t:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4
        t.extractall(os.path.join(place, "untarred"), **safe)
    assert gzip.decompress(gzip.compress(b"x")) == lzma.decompress(lzma.compress(b"x")) == b"x"


def waiting():
    left, right = socket.socketpair()
    poll = select.poll()
    poll.register(left, select.POLLIN)
    assert poll.poll(0) == []
    with select.epoll() as epoll:
        epoll.register(left, select.EPOLLIN)
        right.send(b"x")
        assert epoll.poll(1)
    assert select.select([left], [], [], 1)[0]
    left.settimeout(1)
    left.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    assert left.recv(1) == b"x"
    socket.send_fds(right, [b"f"], [0])
    for fd in socket.recv_fds(left, 1, 1)[1]:
        os.close(fd)
    left.close()
    right.close()
    fd = os.eventfd(0)
    os.eventfd_write(fd, 1)
    os.close(fd)


def machine():
    platform.platform(), platform.uname(), uuid.uuid4(), os.cpu_count(), os.getloadavg()
    os.sched_getaffinity(0), os.nice(0), os.getpriority(os.PRIO_PROCESS, 0), os.getgroups()
    os.path.expanduser("~root"), getpass.getuser()
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.getrusage(resource.RUSAGE_SELF)
    assert ctypes.CDLL(None).getpid() == os.getpid()
    time.clock_gettime(time.CLOCK_MONOTONIC), time.clock_getres(time.CLOCK_MONOTONIC)
    assert len(os.urandom(8)) == 8
    with contextlib.redirect_stdout(io.StringIO()):
        print(os.get_terminal_size, threading.get_native_id())


def main():
    # Before there is a thread, so that all of them inherit it: one that is still
    # about to end would else take the signal that signals() waits for, and die of it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    for feature in (threads, processes, subprocesses, coroutines, signals, waiting, machine):
        feature()
        print(feature.__name__, "ok", flush=True)
    with tempfile.TemporaryDirectory() as root:
        for feature in (databases, files, archives):
            place = os.path.join(root, feature.__name__)
            os.mkdir(place)
            feature(place)
            print(feature.__name__, "ok", flush=True)


if __name__ == "__main__":
    main()
