"""Prefault: what a trial child copied is found, and copying it ahead saves the faults."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable

import numpy as np

from _cellwall import linux, prefault

PAGES = 64
PAGE = 4096


def _memory(pages: int = PAGES) -> np.ndarray:
    memory = np.zeros(pages * PAGE // 8, dtype=np.int64)
    memory[:] = 1  # every page is there
    return memory


def _covered(memory: linux.Memory, address: int) -> bool:
    return any(start <= address < start + size for start, size in memory.ranges)


def test_the_pages_that_a_trial_wrote_are_recorded():
    memory = _memory()
    base = memory.ctypes.data
    written = [5, 6, 40]

    def work() -> None:
        for page in written:
            memory[page * PAGE // 8] = 2

    ranges = prefault.memory(*prefault.record(work))
    for page in range(PAGES):
        covered = _covered(ranges, base + page * PAGE)
        if page in written:
            assert covered, page
        elif 0 < page < PAGES - 1 and page - 1 not in written:  # the array need not begin a page
            assert not covered, page


def test_what_all_trials_wrote_is_found():
    memory = _memory()
    base = memory.ctypes.data

    def write(*pages: int) -> None:
        for page in pages:
            memory[page * PAGE // 8] = 2

    trials = prefault.record(lambda: write(10, 20), lambda: write(20, 30))
    ranges = prefault.memory(prefault.common(*trials))
    assert _covered(ranges, base + 20 * PAGE)
    assert not _covered(ranges, base + 10 * PAGE)
    assert not _covered(ranges, base + 30 * PAGE)


def test_a_trial_that_fails_is_told():
    def work() -> None:
        os._exit(3)

    try:
        prefault.record(work)
    except RuntimeError as error:
        assert "trial" in str(error)
    else:
        raise AssertionError("a failed trial gave ranges")


def test_touched_pages_fault_no_more():
    count = 1_100  # ranges: more than one call takes
    memory = _memory(count)
    base = memory.ctypes.data

    def faults(copy: Callable[[], None] | None) -> int:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            if copy:
                copy()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            memory[:: PAGE // 8] = 3
            after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            os.write(writer, str(after - before).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            told = int(pipe.read())
        os.waitpid(pid, 0)
        return told

    pages = linux.Memory([(base // PAGE * PAGE + n * PAGE, PAGE) for n in range(count + 1)])
    fewest = count * 3 // 4  # what the measuring itself touches is in all
    assert faults(None) - faults(pages.populate) > fewest
    assert faults(None) - faults(lambda: pages._one_by_one(0)) > fewest


def test_what_is_copied_anyway_is_left_out():
    pages = [np.array(numbers, dtype=np.int64) for numbers in ((1, 2, 3, 7), (2, 3, 7), (3,))]
    assert prefault.common(*pages[:2], without=pages[2]).tolist() == [2, 7]
    assert prefault.memory(np.array([2, 3, 7])).ranges == [(2 * PAGE, 2 * PAGE), (7 * PAGE, PAGE)]
