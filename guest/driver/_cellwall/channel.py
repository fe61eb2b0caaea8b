"""Frames: a big-endian length, one byte of kind, a JSON payload."""

import json
import select
import socket
import struct
from array import array
from typing import Any

MAX_FRAME = 16 << 20
MAX_FDS = 16

_HEADER = struct.Struct(">IB")
_HEAD = _HEADER.size
_STEP, _NO_WAIT = 1 << 20, socket.MSG_DONTWAIT
_SPACE, _CLOEXEC, _RIGHTS = socket.CMSG_SPACE(4 * MAX_FDS), socket.MSG_CMSG_CLOEXEC, socket.SCM_RIGHTS
# Bound here, before any user code runs: replacing json.dumps later changes nothing.
_select = select.select
_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


class Closed(Exception):
    """The other side went away."""


def frame(kind: str, payload: Any) -> bytes:
    """One frame; payload becomes strict JSON in pure ASCII."""
    body = _encode(payload).encode("ascii")
    if len(body) > MAX_FRAME:
        raise ValueError(f"frame of {len(body)} bytes")
    return _HEADER.pack(len(body), ord(kind)) + body


class Channel:
    """One end of a stream socket that carries frames and descriptors."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._part = bytearray()  # what has come of the frame that is being read
        self._recvmsg = sock.recvmsg
        self._recv = sock.recv
        self._sendall = sock.sendall
        self._sendmsg = sock.sendmsg

    def fileno(self) -> int:
        return self._sock.fileno()

    def waits(self, seconds: float | None) -> bool:
        """Whether something has come, or does within so many seconds; None is as long as it takes."""
        return bool(_select([self._sock], [], [], seconds)[0])

    def close(self) -> None:
        self._sock.close()

    def forget(self) -> None:
        """Let go of the descriptor's number, which may mean something else by now."""
        self._sock.detach()

    def send(self, kind: str, payload: Any, fds: tuple[int, ...] = ()) -> None:
        """Send one frame."""
        data = frame(kind, payload)
        if fds:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", fds))]
            data = data[self._sendmsg([data], rights) :]
        if data:
            self._sendall(data)

    def receive(self) -> tuple[str, Any, list[int]]:
        """Wait for one frame and the descriptors that came with it."""
        fds: list[int] = []
        while missing := self._missing():
            data, ancillary, _, _ = self._recvmsg(min(missing, _STEP), _SPACE, _CLOEXEC)
            for _, kind, rights in ancillary:
                if kind == _RIGHTS:
                    fds.extend(array("i", rights))
            self._add(data)
        return *self._frame(), fds

    def step(self) -> tuple[str, Any] | None:
        """Reads on without waiting: one frame, which brings no descriptors, or None while it is not whole."""
        while missing := self._missing():
            try:
                data = self._recv(min(missing, _STEP), _NO_WAIT)
            except BlockingIOError:
                return None
            self._add(data)
        return self._frame()

    def _missing(self) -> int:
        """How many bytes are needed next: first of the header, then of the payload."""
        got = len(self._part)
        if got < _HEAD:
            return _HEAD - got
        size: int = _HEADER.unpack_from(self._part)[0]
        if size > MAX_FRAME:
            raise ValueError(f"frame of {size} bytes")
        return _HEAD + size - got

    def _add(self, data: bytes) -> None:
        if not data:
            raise Closed
        self._part += data

    def _frame(self) -> tuple[str, Any]:
        part, self._part = self._part, bytearray()
        return chr(part[4]), _decode(part[_HEAD:].decode("utf-8"))
