"""Immortal objects: what a settled zygote holds is looked at without being written."""

from __future__ import annotations

import ctypes
import gc
import os

from _cellwall import immortal, shell


def _immortal(thing: object) -> bool:
    return ctypes.c_uint32.from_address(id(thing)).value == immortal._MARK


def test_what_was_frozen_before_is_marked_too():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:

        def function() -> None: ...

        wanted = [function, function.__code__, [], {"a": []}]
        gc.freeze()  # as every step of the warm-up does
        before = [_immortal(thing) for thing in wanted]
        shell.settle()
        os.write(writer, repr((before, [_immortal(thing) for thing in wanted])).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    assert told == repr(([False] * 4, [immortal.supported()] * 4))
