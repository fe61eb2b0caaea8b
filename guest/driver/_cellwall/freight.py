"""A state on its way to another sandbox: sections of bytes, each with a line that says what it is.

What arrives is hostile: lengths are believed as far as bytes come, and nothing
but sections is read here.
"""

from __future__ import annotations

import io
import json
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any

_MAGIC = b"cellwall state 1\n"
_LENGTH = struct.Struct(">I")
_END, _GIVEN_UP = 0, 0xFFFFFFFF
_LARGEST = 1 << 30  # bytes of a portion
_HEAD = 1 << 20  # bytes of what is said of a section

_write, _read = os.write, os.read


class Damaged(Exception):
    """What came is no state, or not all of one."""


class Sender:
    """Writes sections to a descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._send(_MAGIC)

    def section(self, said: dict[str, Any], fill: Callable[[io.BufferedWriter], None]) -> None:
        """Sends one section. When fill fails the other side is told to leave it out, and the error goes on."""
        head = json.dumps(said, allow_nan=False).encode("ascii")
        self._send(_LENGTH.pack(len(head)) + head)
        body = _Portions(self._send)
        try:
            with io.BufferedWriter(body, 1 << 16) as file:
                fill(file)  # type: ignore[arg-type]
        except OSError:
            raise  # nobody reads any more
        except BaseException:
            self._send(_LENGTH.pack(_GIVEN_UP))
            raise
        self._send(_LENGTH.pack(_END))

    def end(self) -> None:
        """Says that this was all."""
        self._send(_LENGTH.pack(0))

    def _send(self, data: Any) -> None:
        view = memoryview(data).cast("B")
        while view:
            view = view[_write(self._fd, view) :]


class _Portions(io.RawIOBase):
    def __init__(self, send: Callable[[Any], None]) -> None:
        self._send = send

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")[:_LARGEST]
        if view:
            self._send(_LENGTH.pack(len(view)))
            self._send(view)
        return len(view)


class Receiver:
    """Reads sections from a descriptor. Raises Damaged."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        if self._take(len(_MAGIC)) != _MAGIC:
            raise Damaged("it does not begin as a state does")

    def sections(self) -> Iterator[tuple[dict[str, Any], io.BufferedReader]]:
        """What is said of each section, and its bytes; what was not read of one is passed over."""
        while size := self._length():
            if size > _HEAD:
                raise Damaged("a section has too long a name")
            try:
                said = json.loads(self._take(size))
            except ValueError:
                raise Damaged("a section has no name") from None
            body = _Body(self._length, self._into)
            yield said, io.BufferedReader(body, 1 << 16)
            body.skip()

    def _length(self) -> int:
        return int(_LENGTH.unpack(self._take(_LENGTH.size))[0])

    def _take(self, size: int) -> bytes:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            view = view[self._into(view) :]
        return bytes(data)

    def _into(self, view: memoryview) -> int:
        got = os.readv(self._fd, [view])
        if not got:
            raise Damaged("it is not all there")
        return got


class GivenUp(Exception):
    """The other side could not write this section to its end."""


class _Body(io.RawIOBase):
    def __init__(self, length: Callable[[], int], into: Callable[[memoryview], int]) -> None:
        self._length, self._into = length, into
        self._left = 0
        self._over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if not view or self._over:
            return 0
        if not self._left:
            self._left = self._length()
            self._over = self._left in (_END, _GIVEN_UP)
            if self._left == _GIVEN_UP:
                raise GivenUp
            if self._over:
                return 0
        got = self._into(view[: self._left])
        self._left -= got
        return got

    def skip(self) -> None:
        """Passes over what is left."""
        scrap = bytearray(1 << 16)
        try:
            while self.readinto(scrap):
                pass
        except GivenUp:
            pass
