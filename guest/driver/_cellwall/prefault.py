"""Copy a child's pages ahead of need, in bulk, instead of one fault at a time.

Trial children run what typical analyses do and tell which pages of the zygote's
memory they had to copy. A page that a child asks for costs it 2 microseconds,
needed or not, and one that faults in 5: so every later child asks at once for
the pages that all of them needed, and for those that only the analyses had in
common when there is time.
"""

import mmap
import os
from collections.abc import Callable

import numpy as np

from . import linux

_PAGE = mmap.PAGESIZE
_PRESENT, _EXCLUSIVE, _FILE = 1 << 63, 1 << 56, 1 << 61

Pages = np.ndarray[tuple[int], np.dtype[np.int64]]


def record(*works: Callable[[], None]) -> list[Pages]:
    """Run each work in a child of its own and return what each had to copy."""
    wait, leave = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        # Holds every page that the zygote has now, and writes to none: a page
        # that a trial child has for itself is then one that it wrote, whatever
        # the zygote writes meanwhile.
        os.close(leave)
        os.read(wait, 1)
        os._exit(0)
    os.close(wait)
    try:
        return [_trial(work, leave) for work in works]
    finally:
        os.close(leave)
        os.waitpid(keeper, 0)


def common(pages: Pages, *others: Pages, without: Pages | None = None) -> Pages:
    """What is in all of them, and not in without."""
    for more in others:
        pages = np.intersect1d(pages, more, assume_unique=True)
    return pages if without is None else np.setdiff1d(pages, without, assume_unique=True)


def memory(pages: Pages) -> linux.Memory:
    return linux.Memory(runs(pages))


def _trial(work: Callable[[], None], others: int) -> Pages:
    """The numbers of the pages that work copies, read from outside: looking must not copy any."""
    done, finished = os.pipe()
    wait, leave = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(others)
            os.close(leave)
            work()
            os.write(finished, b".")
            os.read(wait, 1)  # until the parent has looked
        finally:
            os._exit(0)
    os.close(finished)
    os.close(wait)
    try:
        if os.read(done, 1) != b".":
            raise RuntimeError("the trial child failed; its words are on stderr")
        return copied(str(pid))
    finally:
        os.close(done)
        os.close(leave)
        os.waitpid(pid, 0)


def copied(process: str) -> Pages:
    """The numbers of the pages that a process shares with nobody."""
    found = []
    pagemap = os.open(f"/proc/{process}/pagemap", os.O_RDONLY)
    for start, end in linux.writable_mappings(process):
        first = start // _PAGE
        entries = np.frombuffer(os.pread(pagemap, (end - start) // _PAGE * 8, first * 8), dtype=np.uint64)
        own = (entries & _PRESENT != 0) & (entries & _EXCLUSIVE != 0) & (entries & _FILE == 0)
        found.append(np.flatnonzero(own).astype(np.int64) + first)
    os.close(pagemap)
    return np.concatenate(found)


def runs(pages: Pages) -> list[tuple[int, int]]:
    """Neighbouring pages as (address, bytes)."""
    if not len(pages):
        return []
    breaks = np.flatnonzero(np.diff(pages) > 1)
    firsts = pages[np.concatenate(([0], breaks + 1))]
    lasts = pages[np.concatenate((breaks, [len(pages) - 1]))]
    return [
        (int(first) * _PAGE, int(last - first + 1) * _PAGE) for first, last in zip(firsts, lasts, strict=True)
    ]
