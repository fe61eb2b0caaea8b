"""Pages that every cell writes, copied behind the answer and not under the next cell.

A snapshot shares all memory with the interpreter, so the next cell copies each
page at its first write: 700 faults, 3 ms, for a cell of one. What two cells
wrote the third writes too, mostly: such pages are copied in bulk while nobody
waits. A page costs as much when nobody writes it, so only those are.
"""

from __future__ import annotations

import resource
from collections.abc import Callable

import numpy as np

from . import prefault
from .linux import MADV_POPULATE_WRITE, madvise

MOST = 1500  # pages
FEW = 200  # faults of a cell that the pages serve well
MISSES = 3  # cells in a row that they do not: what they write is found out anew

_usage, _SELF, _both = resource.getrusage, resource.RUSAGE_SELF, np.intersect1d


class Touch:
    """The pages of one interpreter."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._wrote: prefault.Pages | None = None  # by the last cell, while this is being found out
        self._learning = True
        self._misses = 0
        self._faults = -1  # of the process at its last fork; -1 before the first, which shares what no cell wrote

    def look(self) -> None:
        """Before a fork: finds out what the last cell wrote."""
        try:
            if self._faults >= 0:
                self._look(_usage(_SELF).ru_minflt - self._faults)
        except Exception:  # a cell replaced what this stands on: its successors are slower
            self._ranges = []

    def _look(self, faults: int) -> None:
        if self._learning:
            wrote = prefault.copied("self")
            if self._wrote is None:
                self._wrote = wrote
            else:
                self._ranges = prefault.runs(_both(wrote, self._wrote, assume_unique=True)[:MOST])
                self._wrote, self._learning = None, False
            return
        self._misses = self._misses + 1 if faults > FEW else 0
        if self._misses >= MISSES:
            self._ranges, self._learning, self._misses = [], True, 0

    def copy(self, busy: Callable[[], bool]) -> None:
        """After a fork: makes the pages this process's own, until busy says that a cell waits."""
        for number, (start, size) in enumerate(self._ranges):
            if number % 32 == 0 and busy():
                break
            madvise(start, size, MADV_POPULATE_WRITE)
        self._faults = _usage(_SELF).ru_minflt
