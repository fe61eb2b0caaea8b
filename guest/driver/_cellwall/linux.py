"""The system calls that Python has no name for, found once, before any fork."""

import ctypes
import os
import signal
from collections.abc import Callable

from . import libcfork

CLONE_NEWCGROUP = 0x02000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWNET = 0x40000000
CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWUTS = 0x04000000
CLONE_PARENT = 0x00008000
CLONE_PIDFD = 0x00001000
CLONE_CHILD_CLEARTID = 0x00200000
CLONE_CHILD_SETTID = 0x01000000
CLONE_INTO_CGROUP = 0x200000000

MADV_HUGEPAGE = 14
MADV_POPULATE_WRITE = 23
MADV_COLLAPSE = 25

PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
SECCOMP_SET_MODE_FILTER = 1

_PIDFD_SELF = -10_000
_MAX_VECTORS = 1024

# Numbers of calls by machine, and where glibc keeps a thread's number in its
# descriptor (checked before use).
_MACHINES = {
    "x86_64": {"clone": 56, "clone3": 435, "process_madvise": 440, "seccomp": 317, "capset": 126, "tid": 0x2D0},
    "aarch64": {"clone": 220, "clone3": 435, "process_madvise": 440, "seccomp": 277, "capset": 91, "tid": 0xD0},
}
_MACHINE = _MACHINES[os.uname().machine]

_libc = ctypes.CDLL(None, use_errno=True)
_python = ctypes.PyDLL(None, use_errno=True)

_syscall = _libc.syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = [ctypes.c_long] * 6

# Keeps the interpreter's lock: between the two halves of a fork nothing else may run.
_held_syscall = _python.syscall
_held_syscall.restype = ctypes.c_long
_held_syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_long]

_held_clone = _python["syscall"]
_held_clone.restype = ctypes.c_long
_held_clone.argtypes = [ctypes.c_long] * 6

_before_fork, _after_in_child, _after_in_parent = (
    _python.PyOS_BeforeFork,
    _python.PyOS_AfterFork_Child,
    _python.PyOS_AfterFork_Parent,
)
for _f in (_before_fork, _after_in_child, _after_in_parent):
    _f.restype, _f.argtypes = None, []

_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_mount = _libc.mount
_mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
_madvise = _libc.madvise
_madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.pthread_self.restype = ctypes.c_void_p


class _CloneArgs(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "flags", "pidfd", "child_tid", "parent_tid", "exit_signal",
            "stack", "stack_size", "tls", "set_tid", "set_tid_size", "cgroup",
        )
    ]  # fmt: skip


class _SockFprog(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _tid_address() -> int:
    """Where glibc keeps this thread's number, which a raw clone must renew."""
    address: int = _libc.pthread_self() + _MACHINE["tid"]
    if ctypes.c_int.from_address(address).value != os.getpid():
        raise RuntimeError("this libc keeps the thread number elsewhere")
    return address


_TID = _tid_address()


def fork(cgroup: int = -1, first: Callable[[], None] | None = None) -> tuple[int, int]:
    """Fork as os.fork does, but as a sister: the child's parent is this process's own parent.

    With cgroup, a descriptor of a version 2 group, the child starts in it. It
    calls first, which must not raise, before Python's own steps after a fork.
    Returns the child's number and a pidfd of it; the child gets (0, -1).
    """
    pidfd = ctypes.c_int(-1)
    args = _CloneArgs(
        flags=CLONE_PARENT | CLONE_PIDFD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID,
        child_tid=_TID,
        pidfd=ctypes.addressof(pidfd),
    )
    if cgroup >= 0:
        args.flags |= CLONE_INTO_CGROUP
        args.cgroup = cgroup
    pointer, size = ctypes.addressof(args), ctypes.sizeof(args)
    _before_fork()
    pid: int = _held_syscall(_MACHINE["clone3"], pointer, size)
    if pid == 0:
        if first:
            first()
        _after_in_child()
        return 0, -1
    _after_in_parent()
    return _check(pid), pidfd.value


# The kernel takes the last two of flags, stack, parent's number, child's number
# and thread's storage in another order on each of the two machines.
_BY_REGISTERS = (_TID, 0) if os.uname().machine == "x86_64" else (0, _TID)
_SISTER = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | signal.SIGCHLD


_sisters: list[bool] = []


def fork_sister() -> int:
    """Fork as fork does, by a call whose arguments the filter of a session can see.

    Where libc's fork cannot be had for it, what C libraries ask to be called
    around a fork is not called, and memory that other threads hold locked stays
    locked in the child.
    """
    _sisters.append(True)
    _before_fork()
    pid = libcfork.sister()
    if pid is None:
        pid = _held_clone(_MACHINE["clone"], _SISTER, 0, 0, *_BY_REGISTERS)
    if pid == 0:
        _after_in_child()
    else:
        _after_in_parent()
    _sisters.clear()
    return _check(pid)


def forking_sister() -> bool:
    """Whether what runs around a fork runs for a sister's."""
    return bool(_sisters)


def prctl(option: int, value: int) -> None:
    _check(_prctl(option, value, 0, 0, 0))


def mount_proc() -> None:
    """Mount the sandbox's own processes and nothing else: no /proc/sys, no kernel files, no agent."""
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    _check(_mount(b"proc", b"/proc", b"proc", flags, b"subset=pid,hidepid=invisible"))


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


_no_capabilities = (ctypes.c_uint32 * 6)()
_cap_header = _CapHeader(0x20080522, 0)
_LAST_CAPABILITY = int(open("/proc/sys/kernel/cap_last_cap", encoding="ascii").read())  # noqa: SIM115


def drop_capabilities() -> None:
    """Empty every capability set, the bounding set first."""
    for capability in range(_LAST_CAPABILITY + 1):
        _prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    _check(
        _syscall(
            _MACHINE["capset"],
            ctypes.addressof(_cap_header),
            ctypes.addressof(_no_capabilities),
            0,
            0,
            0,
        )
    )


class Filter:
    """A seccomp program, laid out in memory before the fork."""

    def __init__(self, program: bytes, flags: int) -> None:
        self._code = ctypes.create_string_buffer(program, len(program))
        self._program = _SockFprog(len(program) // 8, ctypes.addressof(self._code))
        self._flags = flags

    def install(self) -> int:
        """Install the filter and return the descriptor that hears of refusals."""
        address = ctypes.addressof(self._program)
        return _check(_syscall(_MACHINE["seccomp"], SECCOMP_SET_MODE_FILTER, self._flags, address, 0, 0))


def madvise(start: int, size: int, advice: int) -> bool:
    return bool(_madvise(start, size, advice) == 0)


class Memory:
    """Ranges of memory as (address, bytes), laid out before the fork."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self.ranges = ranges
        self._vectors = (ctypes.c_size_t * (2 * len(ranges)))(*(number for one in ranges for number in one))

    def populate(self) -> None:
        """Make every page this process's own.

        One call for all where the kernel has it (6.14), for a call each costs
        as much again as copying the page; or one each (5.14); or not at all,
        and the pages fault in later.
        """
        address, size = ctypes.addressof(self._vectors), 2 * ctypes.sizeof(ctypes.c_size_t)
        for first in range(0, len(self.ranges), _MAX_VECTORS):
            count = min(_MAX_VECTORS, len(self.ranges) - first)
            call = _MACHINE["process_madvise"]
            if _syscall(call, _PIDFD_SELF, address + first * size, count, MADV_POPULATE_WRITE, 0) < 0:
                self._one_by_one(first)
                return

    def _one_by_one(self, first: int) -> None:
        for start, size in self.ranges[first:]:
            if not madvise(start, size, MADV_POPULATE_WRITE):
                return


def writable_mappings(process: str = "self") -> list[tuple[int, int]]:
    """The private mappings that a process can write: (start, end)."""
    found = []
    with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            span, rights, _ = line.split(maxsplit=2)
            if rights.startswith("rw") and rights.endswith("p"):
                start, end = (int(x, 16) for x in span.split("-"))
                found.append((start, end))
    return found
