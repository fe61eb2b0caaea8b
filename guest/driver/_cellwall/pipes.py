"""Pipes and sockets, of which a snapshot must hold no end.

Whoever reads hears of the end when nobody can write any more, and a snapshot
could: a child of an earlier cell would wait for good. So it lets go of them all,
and an interpreter that comes from it gets others in their place. What was
between threads of the interpreter is a pipe again, an empty one; what went to
another process is broken, as that process is gone.
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from dataclasses import dataclass

_PLAIN = 4  # descriptors that every interpreter has
_pipe, _dup, _dup2, _close, _open = os.pipe, os.dup, os.dup2, os.close, os.open
_is_pipe, _is_socket = stat.S_ISFIFO, stat.S_ISSOCK
_control, _GETFL, _SETFL, _GETFD = fcntl.fcntl, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_GETFD
_socket, _pair = socket.socket, socket.socketpair


@dataclass
class _End:
    """One descriptor."""

    number: int
    inheritable: bool
    waits: bool  # False: it answers at once that there is nothing
    writes: bool

    def become(self, other: int) -> None:
        _dup2(other, self.number, self.inheritable)
        if not self.waits:
            _control(self.number, _SETFL, _control(self.number, _GETFL) | os.O_NONBLOCK)


class Ends:
    """Those among what is open. own are descriptors that do not count."""

    def __init__(self, opened: dict[int, os.stat_result], own: set[int]) -> None:
        pipes: dict[tuple[int, int], list[_End]] = {}  # by device and inode
        sockets: dict[tuple[int, int], list[_End]] = {}
        for number, found in opened.items():
            if number < _PLAIN or number in own:
                continue
            if _is_pipe(found.st_mode) or _is_socket(found.st_mode):
                kind = pipes if _is_pipe(found.st_mode) else sockets
                kind.setdefault((found.st_dev, found.st_ino), []).append(_look(number))
        self._all = [end for kind in (pipes, sockets) for ends in kind.values() for end in ends]
        self.count = len(self._all)
        self._pipes = list(pipes.values())
        self._sockets = list(_couples(sockets))

    def release(self) -> None:
        """In a snapshot: keeps the numbers and nothing else."""
        if self._all:
            nothing = _open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
            for end in self._all:
                _dup2(nothing, end.number)
            _close(nothing)

    def renew(self) -> None:
        """In an interpreter that comes from a snapshot."""
        for ends in self._pipes:
            _replace(_pipe(), [e for e in ends if not e.writes], [e for e in ends if e.writes])
        for kind, one, two in self._sockets:
            a, b = _pair(socket.AF_UNIX, kind)
            _replace((a.detach(), b.detach()), one, two)


def _look(number: int) -> _End:
    flags = _control(number, _GETFL)
    inheritable = not _control(number, _GETFD) & fcntl.FD_CLOEXEC
    return _End(number, inheritable, not flags & os.O_NONBLOCK, flags & os.O_ACCMODE == os.O_WRONLY)


def _couples(sockets: dict[tuple[int, int], list[_End]]) -> list[tuple[int, list[_End], list[_End]]]:
    """Sockets with those at their other end: two that were made together have neighbouring numbers."""
    found = []
    left = dict(sockets)
    for device, inode in sorted(sockets):
        one = left.pop((device, inode), [])
        if one:
            with _socket(fileno=_dup(one[0].number)) as like:
                kind = like.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
            found.append((kind, one, left.pop((device, inode + 1), [])))
    return found


def _replace(fresh: tuple[int, int], *sides: list[_End]) -> None:
    for new, ends in zip(fresh, sides, strict=True):
        for end in ends:
            end.become(new)
    for new in fresh:
        _close(new)
