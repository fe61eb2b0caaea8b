"""Standard streams of one run: text over the pipes on descriptors 0, 1 and 2.

Standard output is line buffered, so that a SIGKILL loses no finished line and
output of child processes keeps its place. Lone surrogates are written escaped
instead of failing.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
from typing import Any, NoReturn

NO_STDIN = "input() cannot be answered: this sandbox has no interactive stdin; put the value into the code"


class Streams:
    """The streams a run starts with; the driver keeps them whatever the code does."""

    def __init__(self) -> None:
        self._all = [_writer(1), _writer(2)]
        self._nothing = io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8")

    def install(self) -> None:
        """Makes them the process's own."""
        sys.stdout = sys.__stdout__ = self._all[0]  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = self._all[1]  # type: ignore[misc]
        sys.stdin = sys.__stdin__ = self._nothing  # type: ignore[misc]
        builtins.input = ask

    def mend(self) -> None:
        """Gives a session streams again where a cell closed them or took them away."""
        for name, stream in zip(("stdout", "stderr"), self._all, strict=True):
            now = getattr(sys, name, None)
            if now is None or (now is stream and stream.closed):
                self.__init__()  # type: ignore[misc]
                self.install()
                return

    def flush(self) -> None:
        """Flushes what the code's streams and ours still hold; never raises."""
        for stream in (sys.stdout, sys.stderr, *self._all):
            try:
                stream.flush()
            except BaseException:  # the code may have put anything there
                continue


def ahead() -> Streams:
    """The streams of the children to come: over pipes, as a stream asks once what lies below it."""
    reader, writer = os.pipe()
    kept = [(fd, os.dup(fd)) for fd in (1, 2)]
    try:
        for fd, _ in kept:
            os.dup2(writer, fd)
        return Streams()
    finally:
        for fd, was in kept:
            os.dup2(was, fd)
            os.close(was)
        os.close(reader)
        os.close(writer)


def _writer(descriptor: int) -> io.TextIOWrapper:
    return open(
        descriptor,
        "w",
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        buffering=1,
        closefd=False,
    )


def ask(prompt: object = "", /) -> NoReturn:
    """Read a string from standard input: there is none, so this raises EOFError."""
    write: Any = getattr(sys.stdout, "write", None)
    if write is not None and prompt != "":
        write(f"{prompt}\n")
    raise EOFError(NO_STDIN)


ask.__name__ = ask.__qualname__ = "input"
ask.__module__ = "builtins"
