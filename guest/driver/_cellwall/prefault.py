"""Copy a child's pages ahead of need, in bulk, instead of one fault at a time.

Trial children run what typical analyses do and tell which pages of the zygote's
memory they had to copy. Every later child asks the kernel at once for the pages
that all of them needed. A page costs 4 microseconds, needed or not: so only what
different programs have in common is worth it.
"""

import mmap
import os
from collections.abc import Callable

import numpy as np

from . import linux

_PAGE = mmap.PAGESIZE
_PRESENT, _EXCLUSIVE, _FILE = 1 << 63, 1 << 56, 1 << 61

Ranges = list[tuple[int, int]]
Pages = np.ndarray[tuple[int], np.dtype[np.int64]]


def record(*works: Callable[[], None]) -> Ranges:
    """Run each work in a child of its own and return what all had to copy, as (address, bytes)."""
    common = _trial(works[0])
    for work in works[1:]:
        common = np.intersect1d(common, _trial(work), assume_unique=True)
    return _runs(common)


def _trial(work: Callable[[], None]) -> Pages:
    """The numbers of the pages that work copies."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reader)
            work()
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(_copied().tobytes())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        found = np.frombuffer(pipe.read(), dtype=np.int64)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise RuntimeError("the trial child failed; its words are on stderr")
    return found


def touch(ranges: Ranges) -> None:
    """Make the pages this process's own. A kernel that cannot (before 5.14) faults them in later."""
    for start, size in ranges:
        if not linux.madvise(start, size, linux.MADV_POPULATE_WRITE):
            return


def _copied() -> Pages:
    found = []
    pagemap = os.open("/proc/self/pagemap", os.O_RDONLY)
    for start, end in linux.writable_mappings():
        first = start // _PAGE
        entries = np.frombuffer(os.pread(pagemap, (end - start) // _PAGE * 8, first * 8), dtype=np.uint64)
        own = (entries & _PRESENT != 0) & (entries & _EXCLUSIVE != 0) & (entries & _FILE == 0)
        found.append(np.flatnonzero(own).astype(np.int64) + first)
    return np.concatenate(found)


def _runs(pages: Pages) -> Ranges:
    """Neighbouring pages as ranges."""
    if not len(pages):
        return []
    breaks = np.flatnonzero(np.diff(pages) > 1)
    firsts = pages[np.concatenate(([0], breaks + 1))]
    lasts = pages[np.concatenate((breaks, [len(pages) - 1]))]
    return [
        (int(first) * _PAGE, int(last - first + 1) * _PAGE) for first, last in zip(firsts, lasts, strict=True)
    ]
