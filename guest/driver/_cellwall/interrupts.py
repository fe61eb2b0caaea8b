"""SIGINT in a session: KeyboardInterrupt for the cell that runs, and for nothing else.

While a cell runs, the handler is the one that cells know: Python's own, or what
they set. At any other time it is the driver's, which raises nothing: half a
frame would end the session.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what signal wraps in Python that a cell can replace
import _thread
from collections.abc import Callable
from typing import Any

_set, _get, _raise, _SIGINT = _signal.signal, _signal.getsignal, _signal.raise_signal, _signal.SIGINT
_python = _signal.default_int_handler
_thread_id = _thread.get_ident


class Interrupts:
    """Who hears of SIGINT. waits says whether the host has sent something more."""

    def __init__(self, waits: Callable[[], bool]) -> None:
        self._waits = waits
        self._mine = self._note
        self._theirs: Any = _python
        self._main = _thread_id()
        self._idle = False
        self._running = False
        self._pending = False
        _set(_SIGINT, self._mine)

    def rest(self) -> None:
        """Nothing runs: what comes now is late, unless a cell has come already."""
        self._idle = True
        self._pending = self._pending and self._waits()

    def wake(self) -> None:
        """Something has come."""
        self._idle = False

    def _note(self, *_: Any) -> None:
        if not self._idle or self._waits():
            self._pending = True

    def call(self, work: Callable[[], Any]) -> Any:
        """Calls work, a cell's own code. Raises what that raises."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt
        try:
            self._running = True
            _set(_SIGINT, self._theirs)
            return work()
        finally:
            self.take_back()

    def take_back(self) -> None:
        """Has the driver hear of SIGINT again. Raises nothing."""
        while True:
            try:
                self._running = False
                handler = _get(_SIGINT)
                if handler is not self._mine:
                    _set(_SIGINT, self._mine)
                    self._theirs = handler if handler is not None else _python
                return
            except BaseException:  # the very signal, once more
                continue

    def whole(self, work: Callable[[], None]) -> None:
        """Calls work, which no KeyboardInterrupt may tear; one that came is raised after it."""
        if not self._running or _thread_id() != self._main:
            work()
            return
        handler = _get(_SIGINT)
        _set(_SIGINT, self._mine)
        try:
            work()
        finally:
            _set(_SIGINT, handler)
        if self._pending:
            self._pending = False
            _raise(_SIGINT)
