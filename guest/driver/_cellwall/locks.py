"""Locks on whole files, which belong to an open file and not to a process.

A snapshot has the same open files as the interpreter: one that a cell closes
would stay locked through it. So it opens them anew, without the locks, and an
interpreter that comes from it takes those again.
"""

from __future__ import annotations

import fcntl
import os

_open, _dup2, _close, _seek = os.open, os.dup2, os.close, os.lseek
_control, _lock = fcntl.fcntl, fcntl.flock
_KINDS = {"READ": fcntl.LOCK_SH, "WRITE": fcntl.LOCK_EX}


class Held:
    """Those on the files that these descriptors are open on."""

    def __init__(self, files: list[int]) -> None:
        self.lost: list[str] = []  # files with locks on parts, which nobody takes again
        self._whole: list[tuple[int, int]] = []  # descriptor and kind of lock
        self._parts: list[int] = []
        for number in files:
            try:
                self._look(number)
            except Exception:  # code replaced what looks
                continue

    def _look(self, number: int) -> None:
        with open(f"/proc/self/fdinfo/{number}", encoding="ascii") as file:
            locks = [line.split() for line in file if line.startswith("lock:")]
        for _, _, kind, _, access, *_ in locks:
            if kind == "FLOCK":
                self._whole.append((number, _KINDS[access]))
                continue
            self.lost.append(os.path.basename(os.readlink(f"/proc/self/fd/{number}")))
            if kind == "OFDLCK":
                self._parts.append(number)

    def release(self) -> None:
        """In a snapshot: has the files open and not locked."""
        for number in (*(n for n, _ in self._whole), *self._parts):
            _open_anew(number)

    def renew(self) -> None:
        """In an interpreter that comes from a snapshot, when the one before it is dead."""
        for number, kind in self._whole:
            if _open_anew(number):
                try:
                    _lock(number, kind | fcntl.LOCK_NB)
                except OSError:
                    continue  # another of these has it


def _open_anew(number: int) -> bool:
    """Makes a descriptor one of an open file that no other process has."""
    try:
        offset = _seek(number, 0, os.SEEK_CUR)
        again = _open(f"/proc/self/fd/{number}", _control(number, fcntl.F_GETFL) | os.O_CLOEXEC)
        _seek(again, offset, os.SEEK_SET)
        _dup2(again, number, not _control(number, fcntl.F_GETFD) & fcntl.FD_CLOEXEC)
        _close(again)
    except OSError:
        return False  # nobody may open it any more
    return True
