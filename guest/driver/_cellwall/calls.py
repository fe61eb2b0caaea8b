"""Functions of the host that code may call: tools.<name>(...).

A call goes out on the driver's own channel while the program runs, and whoever
waits for an answer reads there; nobody else does, and no thread is kept for it.
What comes back is JSON, and tables are made of it here.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # as in interrupts
import _thread
import errno
import os
from collections.abc import Callable
from typing import Any

from . import calltypes, callwords
from .callwords import ToolEnded, ToolRefused
from .channel import Channel, Closed

FLYING = 8  # calls that are not answered yet: the host ends a run at more

_mask, _BLOCK, _SET, _ALL = _signal.pthread_sigmask, _signal.SIG_BLOCK, _signal.SIG_SETMASK, _signal.valid_signals()
_getpid, _lock = os.getpid, _thread.allocate_lock
_NO_DESCRIPTOR = errno.EBADF
_LOOK = 0.2  # seconds; who waits behind the end of his cell may never see the channel readable: others read there
_DONE, _LEAD, _WAIT, _END = "done", "lead", "wait", "end"

Send = Callable[[str, Any], None]
Whole = Callable[[Callable[[], None]], None]


def untorn(work: Callable[[], None]) -> None:
    """Calls work with every signal held back, so that no handler of one tears it."""
    before = _mask(_BLOCK, _ALL)
    try:
        work()
    finally:
        _mask(_SET, before)


class Desk:
    """The calls of one program, whichever of its threads makes them.

    whole runs what no handler of a signal may tear.
    """

    def __init__(self, channel: Channel, send: Send, whole: Whole = untorn) -> None:
        self._channel = channel
        self._send = send
        self._whole = whole
        self._pid = _getpid()
        self._lock = _lock()
        self._open = True
        self._broken = ""
        self._spent = ""  # a bound was reached: asking again changes nothing
        self._count = 0
        self._flying: set[int] = set()
        self._answers: dict[int, dict[str, Any]] = {}
        self._wanted: set[int] = set()
        self._reader: _Waiter | None = None
        self._waiters: list[_Waiter] = []

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Makes one call and waits for its answer. Raises ToolError."""
        if _getpid() != self._pid:
            raise ToolRefused("only the process that was given the program can call tools, not its children", name)
        if self._spent:
            raise ToolRefused(self._spent, name)
        mine: list[int] = []
        try:
            self._until(lambda: self._post(name, arguments, mine), name)
            self._until(lambda: mine[0] in self._answers, name)
            answer = self._answers.pop(mine[0])
        finally:
            self._wanted.difference_update(mine)
        if answer["kind"] == "error":
            error = callwords.error(answer, name)
            if type(error) is ToolRefused:
                self._spent = str(error)
            raise error
        result = answer["result"]
        return calltypes.table(result) if answer["kind"] == "table" else result

    def close(self) -> None:
        """Nothing is answered any more; who still waits hears so."""
        with self._lock:
            self._open = False
            self._wake()

    def _post(self, name: str, arguments: dict[str, Any], mine: list[int]) -> bool:
        """Sends the call when there is room for one more. Called with the lock."""
        if len(self._flying) >= FLYING:
            return False
        self._send("C", {"id": self._count + 1, "name": name, "arguments": arguments})
        self._count += 1
        self._flying.add(self._count)
        self._wanted.add(self._count)
        mine.append(self._count)
        return True

    def _until(self, done: Callable[[], bool], name: str) -> None:
        """Waits until done says so, which is asked with the lock; reads when nobody else does."""
        waiter = _Waiter()
        self._waiters.append(waiter)
        try:
            while True:
                self._whole(lambda: self._look(done, waiter))
                if waiter.sees == _DONE:
                    return
                if waiter.sees == _END:
                    raise ToolEnded(self._broken or "the program was over before the tool answered", name)
                if waiter.sees == _WAIT:
                    waiter.turn.acquire()
                    continue
                try:
                    self._channel.waits(_LOOK)
                except OSError as error:
                    if error.errno != _NO_DESCRIPTOR:  # a handler's own, else the code closed the channel
                        raise
                finally:
                    self._whole(self._read)
        finally:
            self._whole(lambda: self._leave(waiter))

    def _look(self, done: Callable[[], bool], waiter: _Waiter) -> None:
        with self._lock:
            if not self._open:
                waiter.sees = _END
            elif done():
                waiter.sees = _DONE
            elif self._reader is not None:
                waiter.sees = _WAIT
            else:
                waiter.sees = _LEAD
                self._reader = waiter

    def _leave(self, waiter: _Waiter) -> None:
        with self._lock:
            self._waiters.remove(waiter)
            if self._reader is waiter:  # an exception came between its turn and its reading
                self._reader = None
                self._wake()

    def _read(self) -> None:
        """Takes what has come, and lets somebody else read."""
        with self._lock:
            self._reader = None
            try:
                while self._open and (frame := self._channel.step()) is not None:
                    self._take(*frame)
            except (Closed, OSError, ValueError) as error:
                self._broken, self._open = f"the way to the tools is broken: {error}", False
            self._wake()

    def _take(self, kind: str, payload: Any) -> None:
        if kind != "A":
            return
        number = payload["id"]
        self._flying.discard(number)
        if number in self._wanted:
            self._answers[number] = payload

    def _wake(self) -> None:
        for waiter in list(self._waiters):
            if waiter.turn.locked():
                waiter.turn.release()


class _Waiter:
    """A thread that waits; its turn is held until there is something to see."""

    def __init__(self) -> None:
        self.turn = _lock()
        self.turn.acquire()
        self.sees = _WAIT
