"""The event loop of a session: one for all cells, so that tasks outlive theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Loop:
    """Made when the first cell awaits something."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Runs a coroutine to its end, and what else is due meanwhile."""
        if self._runner is None or self._runner.get_loop().is_closed():
            self._runner = asyncio.Runner()
        return self._runner.run(coroutine)

    def descriptors(self) -> set[int]:
        """Those that the loop opened for itself."""
        loop: Any = self._runner and self._runner.get_loop()
        if loop is None or loop.is_closed():
            return set()
        return {loop._ssock.fileno(), loop._csock.fileno()}

    def repair(self) -> None:
        """After a fork: what the loop waits for is its own again, and its threads are new ones.

        The kernel's list of what is waited for belongs to both sisters; the one
        that died may have taken things off it.
        """
        loop: Any = self._runner and self._runner.get_loop()
        if loop is None or loop.is_closed():
            return
        before = loop._selector
        fresh = type(before)()
        for key in list(before.get_map().values()):
            fresh.register(key.fd, key.events, key.data)
        loop._selector = fresh
        before.close()
        loop._default_executor = None
