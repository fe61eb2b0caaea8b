"""libc's own fork, as the fork of a sister.

The kernel's call alone runs nothing of what C libraries ask to be done around a
fork (pthread_atfork): a lock that another thread held stays locked for good, and
Arrow's pool waits for threads that are gone. libc's fork does all of it, but
makes children only. So the constant in it that says so is another one for the
time of a call.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal

_CHILD = 0x01000000 | 0x00200000 | signal.SIGCHLD  # CLONE_CHILD_SETTID, CLONE_CHILD_CLEARTID
_SISTER = _CHILD | 0x00008000  # CLONE_PARENT
_RX, _RWX = mmap.PROT_READ | mmap.PROT_EXEC, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
_LOADS = {"x86_64": b"\xbf"}  # mov edi, and the flags

_libc = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock
_mprotect, _fork = _libc.mprotect, _libc.fork
_mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def _find() -> int:
    """Where libc's code has the flags; 0 where it is not as it is known."""
    load = _LOADS.get(os.uname().machine)
    if load is None or not hasattr(_libc, "_Fork"):
        return 0
    start = ctypes.cast(_libc._Fork, ctypes.c_void_p).value or 0
    load += _CHILD.to_bytes(4, "little")
    code = ctypes.string_at(start, 128)
    return start + code.index(load) + 1 if code.count(load) == 1 else 0


_AT = _find()
_flags = ctypes.c_uint32.from_address(_AT) if _AT else ctypes.c_uint32()
_PAGE = _AT & -mmap.PAGESIZE
_SIZE = _AT + 4 - _PAGE


def sister() -> int | None:
    """What fork returns, here and in the sister; None, and nobody forked, where the code cannot be changed."""
    if not _AT or _mprotect(_PAGE, _SIZE, _RWX) != 0:
        return None
    _flags.value = _SISTER
    pid: int = _fork()
    _flags.value = _CHILD
    _mprotect(_PAGE, _SIZE, _RX)
    return pid
