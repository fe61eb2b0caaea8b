"""Cells over one namespace: what one leaves behind the next one finds.

A cell is run as a program is (execution.run), with what belongs to the session
given to it: the module, the figures, an event loop that goes on.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import arrive, carry, execution, figures, inputs, origin, processes, repairs, seeds, shell, tools, values
from .awaits import Loop
from .calls import Desk
from .channel import Channel
from .history import History
from .interrupts import Interrupts

Send = Callable[[str, Any], None]

_environ = os.environ
_builtins, _standard = builtins.__dict__, execution._builtins


class State:
    """Everything that lives from cell to cell."""

    def __init__(self, channel: Channel, send: Send, interrupts: Interrupts) -> None:
        self._channel = channel
        self._send = send
        self._streams = shell.take_streams()
        self._interrupts = interrupts
        self._loaded = inputs.Loaded()
        self._builtins: dict[str, Any] = {}  # what cells put in the place of standard ones
        self.loop = Loop()
        main = ModuleType("__main__")
        self.names: dict[str, Any] = vars(main)
        self.given: dict[str, Any] = {}  # of the names, those that no cell made
        self.history = History(self.names)
        self._home = execution.Home(
            main,
            figures.Capture(),
            call=self._call,
            show=interrupts.call,
            remember=self.history.remember,
            wait=self.loop.run,
            lasting=True,
        )
        origin.install()
        repairs.install()
        repairs.also(self.loop.repair, self._differ)
        seeds.watch()
        values.interruptible = True

    def begin(self, request: dict[str, Any]) -> bool:
        """Makes the first state: the environment, and the inputs as df and dfs."""
        processes.begin(request.get("env"))
        run = execution.Run(request, self._send, self._home)
        loaded = inputs.load(request, run.gate.send)
        self._loaded = loaded or self._loaded
        execution.prepare(run, self._loaded)
        self.given = dict(self.names)
        if self._loaded.frames:
            del self.given["dfs"]
            self.given.pop("df", None)
        self._streams.flush()
        return loaded is not None

    def arrive(self, request: dict[str, Any], fd: int) -> bool:
        """Makes the first state that of another session, which comes from a descriptor."""
        processes.begin()
        run = execution.Run(request, self._send, self._home)
        execution.prepare(run, self._loaded)
        self.given = dict(self.names)
        state = self._carried()
        ok = execution.receive(run, lambda: arrive.unpack(state, fd))
        self._interrupts.take_back()
        self._loaded, self._builtins, self.given = state.loaded, state.builtins, state.given
        _environ.update(request.get("env") or {})
        self._differ()
        self._streams.flush()
        return ok

    def pack(self, fd: int) -> list[dict[str, Any]]:
        """Writes the state for another sandbox to a descriptor; returns what is not in it."""
        try:
            return carry.pack(self._carried(), fd)
        finally:
            self._interrupts.take_back()

    def _carried(self) -> carry.State:
        return carry.State(self.names, self.given, self.history, self._builtins, self._loaded)

    def _differ(self) -> None:
        seeds.branch(list(self.names.values()), self.history.mentions)

    def cell(self, cell: dict[str, Any], shown: list[Any]) -> bool:
        """Runs one cell; True when it ended ok. shown are values that came between it and the last one."""
        run = execution.Run(cell, self._send, self._home)
        run.observer.inputs = self._loaded
        for data in shown:
            run.publisher.publish(data)
        self._enter(run)
        self._offer(cell, run)
        with_env = _Environment(cell.get("env") or {})
        self.history.begin(cell["count"], run.file, cell["source"])
        ok = execution.run(run, cell["source"])
        self._interrupts.take_back()
        self._streams.flush()
        if not run.gate.here():  # the cell forked: this is the child
            execution.leave(0 if ok else 1)
        tools.end()
        self._settle(run, cell, ok)
        with_env.restore()
        return ok

    def _enter(self, run: execution.Run) -> None:
        """Makes the module the one that pickle and inspect look into."""
        sys.modules["__main__"] = run.main
        self.names["__builtins__"] = run.builtins
        self.names["__file__"] = run.file
        self._streams.mend()
        repairs.settle()

    def _offer(self, cell: dict[str, Any], run: execution.Run) -> None:
        """Gives the cell the tools that come with it, and takes those of an earlier one away."""
        said = cell.get("tools") or []
        desk = Desk(self._channel, run.gate.send, self._interrupts.whole) if said else None
        tools.offer(self.names, said, desk)
        self.given["tools"] = tools.tools

    def _settle(self, run: execution.Run, cell: dict[str, Any], ok: bool) -> None:
        """Takes note of what the cell left."""
        try:
            if ok:
                self.history.end(cell["count"], run.value)
            else:
                self._home.capture.leave(False)
            if "class " in run.text:
                origin.learn(list(self.names.values()), run.file)
        except BaseException:  # a hostile value; its cell ended all the same
            return

    def _call(self, work: Callable[[], Any]) -> Any:
        """Around the code of a cell: its interruption, and its own builtins."""
        _builtins.update(self._builtins)
        try:
            return self._interrupts.call(work)
        finally:
            self._builtins = {n: _builtins[n] for n in _builtins if _builtins[n] is not _standard.get(n)}


class _Environment:
    """Variables of one cell, taken back at its end unless it set them itself."""

    def __init__(self, given: dict[str, str]) -> None:
        self._given = given
        self._before = {name: _environ.get(name) for name in given}
        _environ.update(given)

    def restore(self) -> None:
        for name, before in self._before.items():
            if _environ.get(name) != self._given[name]:
                continue
            if before is None:
                _environ.pop(name, None)
            else:
                _environ[name] = before
