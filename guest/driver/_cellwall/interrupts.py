"""Signals in a session: for the cell that runs, and for nothing else.

While a cell runs, the handler of SIGINT is the one that cells know: Python's
own, or what they set. At any other time it is the driver's, which raises
nothing: half a frame would end the session. Other signals, such as the alarm
that a cell forgot, wait for the next cell.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what signal wraps in Python that a cell can replace
import _thread
from collections.abc import Callable
from typing import Any

_set, _get, _raise, _SIGINT = _signal.signal, _signal.getsignal, _signal.raise_signal, _signal.SIGINT
_python = _signal.default_int_handler
_mask, _BLOCK, _SETMASK = _signal.pthread_sigmask, _signal.SIG_BLOCK, _signal.SIG_SETMASK
_OTHERS = _signal.valid_signals() - {_SIGINT}
_thread_id = _thread.get_ident


class Interrupts:
    """Who hears of signals. waits says whether the host has sent something more."""

    def __init__(self, waits: Callable[[], bool]) -> None:
        self._waits = waits
        self._mine = self._note
        self._theirs: Any = _python
        self._main = _thread_id()
        self._idle = False
        self._running = False
        self._pending = False
        self._blocked = _mask(_BLOCK, _OTHERS)  # by cells
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
            _set(_SIGINT, self._theirs)
            _mask(_SETMASK, self._blocked)
            self._running = True
            return work()
        finally:
            self.take_back()

    def take_back(self) -> None:
        """Has the driver hear of signals again. Raises nothing."""
        while True:
            try:
                if self._running:
                    self._blocked = _mask(_BLOCK, ())
                    self._running = False
                _mask(_BLOCK, _OTHERS)
                handler = _get(_SIGINT)
                if handler is not self._mine:
                    _set(_SIGINT, self._mine)
                    self._theirs = handler if handler is not None else _python
                return
            except BaseException:  # of a handler: its cell has ended
                continue

    def whole(self, work: Callable[[], None]) -> None:
        """Calls work, which no handler may tear; those of signals that came run after it."""
        if not self._running or _thread_id() != self._main:
            work()
            return
        blocked = _mask(_BLOCK, _OTHERS)
        handler = _get(_SIGINT)
        _set(_SIGINT, self._mine)
        try:
            work()
        finally:
            _set(_SIGINT, handler)
            _mask(_SETMASK, blocked)
        if self._pending:
            self._pending = False
            _raise(_SIGINT)
