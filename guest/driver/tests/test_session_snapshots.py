"""Snapshots: what comes back, what does not and is named, and what branches differ in: M40."""

import os
import signal
import time

import pytest
import sessions


def waits(pid):
    """Whether a process sleeps: it has done everything that it does while nobody asks."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(") ")[2].startswith("S")


def kept(live, source):
    """Runs a cell and takes a snapshot after it."""
    live.say(source)
    return live.take()


def again(live, snapshot, **more):
    live.die()
    return live.back(snapshot, **more)


def test_M40_one_snapshot_serves_any_number_of_deaths(live):
    snapshot = kept(live, "x = 41")
    before = sessions.children()
    for _ in range(10):
        live.cell("x = 0\nimport os\nos._exit(7)")
        live.channel.close()
        os.waitpid(live.pid, 0)
        live.back(snapshot)
        assert live.say("print(x + 1)") == "42\n"
        assert len(sessions.children()) == len(before)  # the tree does not deepen


def test_M40_a_snapshot_of_a_snapshots_child_and_the_older_one_both_stand(live):
    first = kept(live, "log = ['a']")
    again(live, first)
    second = kept(live, "log.append('b')")
    again(live, second)
    live.say("log.append('lost')")
    again(live, second)
    assert live.say("log.append('c')\nprint(log)") == "['a', 'b', 'c']\n"
    again(live, first)
    assert live.say("print(log)") == "['a']\n"


def test_M40_a_snapshot_ends_with_its_channel(live):
    snapshot = kept(live, "x = 1")
    snapshot.channel.close()
    assert os.waitpid(snapshot.pid, 0) == (snapshot.pid, 0)
    assert live.say("print(x)") == "1\n"


def test_M40_a_snapshot_is_not_the_cells_child_and_has_a_session_of_its_own(live):
    snapshot = kept(live, "import os\nchildren = lambda: open('/proc/self/task/%d/children' % os.getpid()).read()")
    assert (
        live.say("print(repr(children()))\ntry:\n    os.wait()\nexcept ChildProcessError: print('none')")
        == "''\nnone\n"
    )
    again(live, snapshot)
    assert (
        len({os.getsid(snapshot.pid), os.getsid(live.pid)})
        == 2
        == len({os.getpgid(snapshot.pid), os.getpgid(live.pid)})
    )
    assert live.say("print(repr(children()))") == "''\n"


def test_M40_a_snapshot_blocks_every_signal(live):
    snapshot = kept(live, "import ctypes, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})")
    with open(f"/proc/{snapshot.pid}/status") as file:
        status = dict(line.split(":\t", 1) for line in file.read().splitlines())
    never = 1 << (signal.SIGKILL - 1) | 1 << (signal.SIGSTOP - 1) | 3 << 31  # and what glibc keeps for itself
    assert int(status["SigBlk"], 16) | never == (1 << 64) - 1
    source = "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    alone = "1 {<Signals.SIGUSR1: 10>}\n"  # dumpable again, and the mask is the cell's
    assert live.say(source) == alone
    again(live, snapshot)
    assert live.say(source) == alone


LOST = {
    "nothing": ("x = 1", {}),
    "threads": (
        "import threading, time\nfor n in ('a', 'b'):\n    threading.Thread(target=time.sleep, args=(99,), name=n, daemon=True).start()",
        {"lost_threads": {"count": "2", "names": "a, b"}},
    ),
    "threads without an object": (
        "import _thread, time\nfor _ in range(3): _thread.start_new_thread(time.sleep, (99,))\ntime.sleep(0.1)",
        {"lost_threads": {"count": "3"}},
    ),
    "executors": (
        "from concurrent.futures import ThreadPoolExecutor\na, b = ThreadPoolExecutor(), ThreadPoolExecutor()\n[p.submit(len, ()).result() for p in (a, a, b)]",
        {"lost_pools": {"count": "2"}},
    ),
    "pools of processes": (
        "import multiprocessing, concurrent.futures as c\np = multiprocessing.Pool(2)\ne = c.ProcessPoolExecutor(1)\np.map(len, [()]), e.submit(len, ()).result()",
        {
            "lost_pools": {"count": "2"},
            "lost_processes": ...,
            "lost_threads": ...,
            "lost_pipes": ...,
            "lost_mappings": ...,
        },
    ),
    "pools of threads": (
        "from multiprocessing.pool import ThreadPool\np = ThreadPool(2)\np.map(len, [()])",
        {"lost_pools": {"count": "1"}, "lost_pipes": ..., "lost_mappings": ...},
    ),
    "processes": (
        "import subprocess\np = subprocess.Popen(['/bin/sleep', '99'])",
        {"lost_processes": {"count": "1", "names": "sleep"}},
    ),
    "record locks": (
        "import fcntl\nf = open('locked', 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)",
        {"lost_locks": {"count": "1", "names": "locked"}},
    ),
    "locks of an open file stay": ("import fcntl\nf = open('locked', 'w')\nfcntl.flock(f, fcntl.LOCK_EX)", {}),
    "an alarm": ("import signal\nsignal.alarm(99)", {"lost_timers": {"count": "1", "names": "real"}}),
    "a timer": (
        "import signal\nsignal.setitimer(signal.ITIMER_PROF, 99)",
        {"lost_timers": {"count": "1", "names": "prof"}},
    ),
    "pipes": ("import os\nr, w = os.pipe()", {"lost_pipes": {"count": "2"}}),
    "sockets": ("import socket\na, b = socket.socketpair()", {"lost_pipes": {"count": "2"}}),
    "the loop's own sockets are nobody's": ("import asyncio\nawait asyncio.sleep(0)", {}),
    "shared memory": ("import mmap\na = mmap.mmap(-1, 4096)", {"lost_mappings": {"count": "1"}}),
    "mapped files come back with the others": (
        "import mmap\nf = open('m', 'wb+')\nf.truncate(4096)\nm = mmap.mmap(f.fileno(), 4096)",
        {},
    ),
    "mapped files that have no name any more": (
        "import mmap, os\nf = open('m', 'wb+')\nf.truncate(4096)\nm = mmap.mmap(f.fileno(), 4096)\nos.remove('m')",
        {"lost_mappings": {"count": "1", "names": "m (deleted)"}},
    ),
    "private mappings stay": ("import mmap\nm = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)", {}),
    "read-only mappings stay": (
        "open('m', 'w').write('x' * 4096)\na = np.memmap('m', mode='r')",
        {},
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_M40_what_does_not_come_back_is_named(live, name):
    source, want = LOST[name]
    snapshot = kept(live, source)
    told = {notice["code"]: notice["args"] for notice in snapshot.cannot}
    assert again(live, snapshot) == told
    assert told.keys() == want.keys()
    for code, args in want.items():
        if isinstance(args, dict):
            assert {key: told[code][key] for key in args} == args


def test_M40_shared_memory_that_comes_and_goes_is_seen(live):
    live.say("import mmap")
    for source, want in (("x = 1", []), ("m = mmap.mmap(-1, 4096)", ["lost_mappings"]), ("m.close()", [])):
        live.say(source)
        snapshot = live.take()
        assert [notice["code"] for notice in snapshot.cannot] == want


def test_M40_names_of_what_is_lost_are_bounded(live):
    snapshot = kept(
        live,
        "import threading, time\nfor n in range(300):\n    threading.Thread(target=time.sleep, args=(99,), name='\\ud800' + 'x' * 100, daemon=True).start()",
    )
    (lost,) = snapshot.cannot
    assert lost["args"]["count"] == "300" and len(lost["args"]["names"]) <= 210


def test_M40_processes_of_a_state_that_is_gone_have_ended(live):
    snapshot = kept(
        live,
        "import subprocess, multiprocessing as m, time\np = subprocess.Popen(['/bin/sleep', '99'])\n"
        "w = m.Process(target=time.sleep, args=(99,))\nw.start()",
    )
    assert live.say("print(p.poll(), w.is_alive())") == "None True\n"
    again(live, snapshot)
    assert (
        live.say("print(p.poll(), p.wait(1), w.is_alive(), w.exitcode, m.active_children())") == "-9 -9 False -9 []\n"
    )
    assert live.say("w.join()\nprint(subprocess.run(['/bin/echo', 'on'], capture_output=True).stdout)") == "b'on\\n'\n"


PIPES = {
    "to a child": (
        "import subprocess\np = subprocess.Popen(['/bin/cat'], stdin=-1, stdout=-1)",
        "print(p.communicate(b'hello', timeout=10))",
        "(b'hello', None)",
        "try: p.stdin.write(b'x'); p.stdin.flush()\nexcept BrokenPipeError: print(p.stdout.read())",
        "b''",
    ),
    "in the process": (
        "import os\nr, w = os.pipe()\nos.set_inheritable(w, True)\nos.set_blocking(r, False)",
        "os.write(w, b'x')\nos.close(w)\nprint(os.read(r, 9), os.read(r, 9))",
        "b'x' b''",
        "print(os.get_inheritable(w), os.get_inheritable(r), os.get_blocking(r), os.get_blocking(w))\nos.write(w, b'y')\nprint(os.read(r, 9))",
        "True False False True\nb'y'",
    ),
    "with copies": (
        "import os\nr, w = os.pipe()\nw2 = os.dup(w)",
        "os.close(w); os.write(w2, b'x'); os.close(w2)\nprint(os.read(r, 9), os.read(r, 9))",
        "b'x' b''",
        "os.close(w); os.write(w2, b'y'); os.close(w2)\nprint(os.read(r, 9), os.read(r, 9))",
        "b'y' b''",
    ),
    "pairs of sockets": (
        "import socket\na, b = socket.socketpair()",
        "b.send(b'x'); b.close()\nprint(a.recv(9), a.recv(9))",
        "b'x' b''",
        "b.send(b'y'); b.close()\nprint(a.recv(9), a.recv(9))",
        "b'y' b''",
    ),
    "connections of processes": (
        "import multiprocessing as m\na, b = m.Pipe()\nw = m.Process(target=lambda: b.send(b.recv() * 2))\nw.start()\nb.close()",
        "a.send(4)\nprint(a.recv(), w.join(10))",
        "8 None",
        "try: print(a.recv())\nexcept EOFError: print('gone')",
        "gone",
    ),
    "named pipes": (
        "import os\nos.mkfifo('p')\nr = os.open('p', os.O_RDONLY | os.O_NONBLOCK)\nw = os.open('p', os.O_WRONLY)",
        "os.close(w)\nprint(os.read(r, 9))",
        "b''",
        "os.write(w, b'z')\nprint(os.read(r, 9))",
        "b'z'",
    ),
}


@pytest.mark.parametrize("name", PIPES)
def test_M40_a_snapshot_holds_no_end_of_a_pipe(live, name):
    make, use, want, after, then = PIPES[name]
    snapshot = kept(live, make)
    assert live.say(use) == want + "\n"
    again(live, snapshot)
    assert live.say(after) == then + "\n"


def test_M40_threads_of_a_state_that_is_gone_have_ended(live):
    snapshot = kept(
        live,
        "import threading, time\nt = threading.Thread(target=time.sleep, args=(99,))\nt.start()\ne = threading.Event()",
    )
    again(live, snapshot)
    assert live.say("t.join()\nprint(t.is_alive(), threading.active_count())") == "False 1\n"
    assert live.say("t = threading.Thread(target=e.set)\nt.start()\nprint(e.wait(5))\nt.join()") == "True\n"


def test_M40_a_sister_is_made_by_the_c_library_itself(live):
    """Handlers that C code registered for forks run, in the order that it counts on."""
    snapshot = kept(
        live,
        "import ctypes\nlog = []\nhook = ctypes.CFUNCTYPE(None)\n"
        "hooks = [hook(lambda w=w: log.append(w)) for w in ('before', 'parent', 'child')]\n"
        "ctypes.CDLL(None).__register_atfork(*hooks, None)",
    )
    assert live.say("print(log)") == "['before', 'parent']\n"
    again(live, snapshot)
    assert live.say("print(log)") == "['before', 'child', 'before', 'child']\n"
    text = "start = ctypes.cast(ctypes.CDLL(None)._Fork, ctypes.c_void_p).value\n"
    text += "print([l.split()[1] for l in open('/proc/self/maps') if (r := [int(x, 16) for x in l.split()[0].split('-')])[0] <= start < r[1]])"
    assert live.say(text) == "['r-xp']\n"  # as it was


def test_M40_prints_of_a_thread_do_not_lock_the_state_that_comes_back(live):
    """The snapshot is taken while a thread writes, and that may hold the stream's lock."""
    live.say(
        "import threading, time\nstop = False\ndef work():\n    while not stop:\n        print('x' * 50)\n        time.sleep(0)\n"
        "t = threading.Thread(target=work, daemon=True)\nt.start()"
    )
    for _ in range(5):
        snapshot = live.take()
        again(live, snapshot)
        assert live.cell("print('on')").stdout.endswith("on\n")


def test_M40_hooks_of_cells_run_for_their_own_forks_only(live):
    snapshot = kept(
        live,
        "import os\nlog = []\nos.register_at_fork(before=lambda: log.append('b'), after_in_parent=lambda: log.append('p'), "
        "after_in_child=lambda: log.append('c'))",
    )
    assert live.say("print(log)") == "[]\n"
    again(live, snapshot)
    assert live.say("print(log)") == "[]\n"
    fork = "pid = os.fork()\nif pid == 0: print(log, flush=True); os._exit(0)\nos.waitpid(pid, 0)\nprint(log)"
    assert live.say(fork) == "['b', 'c']\n['b', 'p']\n"


def test_M40_temporary_names_and_identifiers_differ_between_branches(live):
    snapshot = kept(live, "import tempfile, uuid\ntempfile.mktemp(); uuid.uuid1()")
    seen = []
    for _ in range(3):
        again(live, snapshot)
        seen += live.say("print(tempfile.mktemp(), uuid.uuid1(), uuid.uuid4())").split()
    assert len(set(seen)) == 9


DRAW = "print(random.random(), np.random.rand(), g.random(), r.random(), s.random(), q.random(), big.random())"
MAKE = (
    "import random\ng, r = np.random.default_rng(), random.Random()\n"
    "s, q = np.random.default_rng(7), random.Random(7)\nbig = np.random.default_rng(75341699828339502428324677735538422244)"
)


def test_M40_branches_differ_where_no_seed_was_set(live):
    snapshot = kept(live, MAKE)
    draws = []
    for reseed in (False, False, True, True):
        again(live, snapshot, reseed=reseed)
        draws.append(live.say(DRAW).split())
    same, other = draws[0], draws[1:]
    assert other[0] == same  # as it was, where nobody asks for another
    for at in range(4):
        assert len({draw[at] for draw in draws[1:]}) == 3
    for at in range(4, 7):
        assert len({draw[at] for draw in draws}) == 1


def test_M40_branches_agree_where_a_seed_was_set(live):
    snapshot = kept(live, MAKE + "\nrandom.seed(1)\nnp.random.seed(1)\nr.seed(1)")
    draws = []
    for _ in range(2):
        again(live, snapshot, reseed=True)
        draws.append(live.say(DRAW).split())
    assert [a == b for a, b in zip(*draws, strict=True)] == [True, True, False, True, True, True, True]
    live.say("random.seed()\nnp.random.seed()")
    second = live.take("cp_2")
    draws = [(again(live, second, reseed=True), live.say(DRAW).split())[1][:2] for _ in range(2)]
    assert draws[0][0] != draws[1][0] and draws[0][1] != draws[1][1]


def test_M40_file_offsets_come_back_whatever_was_read_since(live):
    snapshot = kept(
        live,
        "import os\nopen('a', 'w').write('0123456789')\nfd = os.open('a', os.O_RDWR)\nos.read(fd, 2)\nf = open('a')\nf.read(3)\n"
        "log = open('log', 'a')\nlog.write('one ')\nlog.flush()",
    )
    live.say("os.lseek(fd, 9, 0)\nf.read()")
    again(live, snapshot)
    assert live.say("print(os.read(fd, 2), f.read(2))") == "b'23' 34\n"


def test_M40_an_interpreter_without_a_free_descriptor_goes_on(live):
    live.say(
        "import resource\nwas = resource.getrlimit(resource.RLIMIT_NOFILE)\nresource.setrlimit(resource.RLIMIT_NOFILE, (4, was[1]))"
    )
    ours, theirs = sessions._pair()
    live.channel.send("K", {"checkpoint": "cp_1"}, (theirs.fileno(),))
    theirs.close()
    kind, standing = sessions.frame(ours)
    assert kind == "" or standing["error"]
    live.say("resource.setrlimit(resource.RLIMIT_NOFILE, was)\nx = 1")
    snapshot = live.take()
    again(live, snapshot)
    assert live.say("print(x)") == "1\n"


def test_M40_the_event_loop_comes_back_with_what_it_waits_for(live):
    snapshot = kept(
        live,
        "import asyncio, os\nr, w = os.pipe()\ngot = asyncio.Event()\nloop = asyncio.get_running_loop()\n"
        "loop.add_reader(r, lambda: (os.read(r, 10), got.set()))\nawait asyncio.sleep(0)",
    )
    live.say("loop.remove_reader(r)\nawait asyncio.sleep(0)")  # the kernel's list is shared
    again(live, snapshot)
    assert live.say("os.write(w, b'x')\nawait asyncio.wait_for(got.wait(), 5)\nprint('heard')") == "heard\n"
    assert live.say("print(await asyncio.to_thread(lambda: 'threads'))") == "threads\n"


def test_M40_memory_stays_flat_over_many_cells(live):
    source = "d = [i for i in range(1000)]\ndef f(): return d\nclass A: pass\nlen(f())"
    for _ in range(150):
        live.cell(source)
    before = _private(live.pid)
    for _ in range(600):
        live.cell(source)
    assert _private(live.pid) - before < 4000  # KB; sources of a thousand cells are kept, values of a hundred
    assert live.say("print(len(Out), len(In) > 750)") == "100 True\n"


def _private(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_"))


def test_M40_cells_after_a_snapshot_find_the_pages_that_they_write(live):
    """Faults of a cell, before and after the interpreter knows what such cells write."""
    live.say("import resource\nt = pd.DataFrame({'k': list('abab'), 'v': range(4)})")
    source = (
        "b = resource.getrusage(0).ru_minflt\nx = t.groupby('k').v.sum()\nprint(resource.getrusage(0).ru_minflt - b)"
    )
    faults, snapshots = [], []  # which share the pages while they live
    for _ in range(8):
        faults.append(int(live.say(source)))
        snapshots.append(live.take())
        while not waits(live.pid):
            time.sleep(0.01)
    assert min(faults[1:3]) > 3 * max(faults[4:]), faults
