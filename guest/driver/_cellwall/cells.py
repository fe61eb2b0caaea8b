"""Cells over one namespace: what one leaves behind the next one finds.

A cell is run as a program is (execution.run), with what belongs to the session
given to it: the module, the figures, the numbers In and Out, an event loop that
goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import execution, inputs, processes, shell

Send = Callable[[str, Any], None]


class State:
    """Everything that lives from cell to cell."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._streams = shell.take_streams()
        self._main = ModuleType("__main__")
        self._loaded = inputs.Loaded()

    def begin(self, request: dict[str, Any]) -> bool:
        """Makes the first state: the environment, and the inputs as df and dfs."""
        os.environ.update(request.get("env") or {})
        processes.begin()
        run = execution.Run(request, self._send, self._main)
        loaded = inputs.load(request, run.gate.send)
        self._loaded = loaded or self._loaded
        execution.prepare(run, self._loaded)
        self._streams.flush()
        return loaded is not None

    def cell(self, cell: dict[str, Any]) -> bool:
        """Runs one cell; True when it ended ok."""
        run = execution.Run(cell, self._send, self._main)
        run.observer.inputs = self._loaded
        ok = execution.run(run, cell["source"])
        self._streams.flush()
        if not run.gate.here():  # the cell forked: this is the child
            execution.leave(0 if ok else 1)
        return ok
