"""What a fork changes in an interpreter, put back in the one that goes on.

Python gives a child new random numbers and the same open files; the child's
processes are its parent's. A cell after a rollback must notice none of it.
"""

from __future__ import annotations

import _thread
import functools
import os
import random
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from . import linux, seeds

_generator = random._inst
_state, _set_state = _generator.getstate, _generator.setstate
_seek, _getcwd, _chdir = os.lseek, os.getcwd, os.chdir
_new_lock = _thread.allocate_lock
KILLED = -9  # what a process that ended with the state before looks like

_started: weakref.WeakSet[Any] = weakref.WeakSet()  # every subprocess.Popen
_repairs: list[Callable[[], None]] = []  # of other modules of the driver
_reseeds: list[Callable[[], None]] = []  # likewise, for a branch
_late: list[Callable[[], None]] = []  # what waits for the first cell


def install() -> None:
    """Takes note of the processes that cells start, and of the hooks that they register."""
    plain = subprocess.Popen.__init__

    @functools.wraps(plain)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        _started.add(self)

    subprocess.Popen.__init__ = __init__  # type: ignore[method-assign]
    os.register_at_fork = _quiet(os.register_at_fork)


def also(repair: Callable[[], None], reseed: Callable[[], None] | None = None) -> None:
    """Has repair called in every interpreter that comes from a snapshot, reseed in one that is to differ."""
    _repairs.append(repair)
    if reseed is not None:
        _reseeds.append(reseed)


def _quiet(plain: Callable[..., None]) -> Callable[..., None]:
    """register_at_fork whose hooks run for the cells' own forks and not for a snapshot's."""

    @functools.wraps(plain)
    def register_at_fork(**hooks: Any) -> None:
        if _from_cell(sys._getframe(1).f_code.co_filename):
            hooks = {when: _unless_forking(hook) if callable(hook) else hook for when, hook in hooks.items()}
        plain(**hooks)

    return register_at_fork


def _from_cell(file: str) -> bool:
    return file.startswith("<") and not file.startswith("<frozen ")


def _unless_forking(hook: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: None if linux.forking_sister() else hook()


class Kept:
    """What is written down before the fork: of descriptors of files, where each is read and written next.

    late is for the time when the interpreter before is dead.
    """

    def __init__(self, files: list[int], late: Callable[[], None]) -> None:
        self._random = _state()
        self._offsets = list(_offsets(files))
        self._late = late
        try:
            self._place = _getcwd()
        except OSError:
            self._place = ""  # deleted

    def repair(self, reseed: bool, first: Callable[[], None]) -> None:
        """Puts everything right in the interpreter that goes on."""
        _do(first, self._numbers, self._files, _processes, *_repairs, *(_reseeds if reseed else ()))
        _late[:] = (self._late, self._home)

    def _home(self) -> None:
        """A directory that the dead cell deleted has come back as another one of that name."""
        if self._place:
            _chdir(self._place)

    def _numbers(self) -> None:
        _set_state(self._random)
        seeds.renew_names()

    def _files(self) -> None:
        for number, offset in self._offsets:
            try:
                _seek(number, offset, os.SEEK_SET)
            except OSError:
                continue


def settle() -> None:
    """Before the first cell of an interpreter that came from a snapshot: what its predecessor stood in the way of."""
    _do(*_late)
    _late.clear()


def _do(*steps: Callable[[], None]) -> None:
    for step in steps:
        try:
            step()
        except BaseException:  # the code may have replaced anything of the standard library
            continue


def _offsets(files: list[int]) -> Iterator[tuple[int, int]]:
    """Where files are read and written next: sisters share it."""
    for number in files:
        try:
            yield number, _seek(number, 0, os.SEEK_CUR)
        except OSError:
            continue


def _processes() -> None:
    """The children of the interpreter before have ended with it."""
    for child in list(_started):
        if child.returncode is None:
            child.returncode = KILLED
        child._waitpid_lock = _new_lock()
    module = sys.modules.get("multiprocessing.process")
    for child in list(getattr(module, "_children", ())):
        child._parent_pid = os.getpid()
        if child._popen is not None and child._popen.returncode is None:
            child._popen.returncode = KILLED
