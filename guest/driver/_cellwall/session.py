"""A session: one interpreter that lives on, and the cells that are sent to it.

The loop knows frames; what a cell is stands in cells, what a snapshot is in
snapshot.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import questions, repairs, snapshot, values
from .cells import State
from .channel import Channel, Closed
from .interrupts import Interrupts
from .outbox import Outbox
from .touch import Touch


def serve(channel: Channel) -> None:
    """Answers what the host asks until it lets go of the session."""
    Session(channel).serve()


class Session:
    """The live interpreter's end of the channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._touch = Touch()
        self._interrupts = Interrupts(lambda: channel.waits(0))
        self._outbox = Outbox(channel, self._interrupts)
        self._state = State(channel, self._outbox.send, self._interrupts)
        repairs.also(self._outbox.repair)

    def serve(self) -> None:
        answers: dict[str, Callable[..., None]] = {
            "B": self._begin,
            "X": self._cell,
            "K": self._take,
            "Y": self._ask,
            "O": self._export,
            "A": self._late,
        }
        while True:
            self._interrupts.rest()
            try:
                self._channel.waits(None)
                self._interrupts.wake()
                kind, payload, fds = self._channel.receive()
            except Closed:
                return
            answers[kind](payload, *fds)

    def _begin(self, request: dict[str, Any], state: int = -1) -> None:
        self._outbox.open()
        if not request.get("state"):
            self._end(request, self._state.begin(request))
            return
        ok = self._state.arrive(request, state)
        os.close(state)
        self._end(request, ok)

    def _export(self, request: dict[str, Any], to: int = -1) -> None:
        said: dict[str, Any] = {"lost": [], "error": ""}
        try:
            said["lost"] = self._state.pack(to)
        except BaseException as error:  # nobody reads any more, or code of a cell
            said["error"] = values.cut(f"{type(error).__name__}: {error}", 500)
        os.close(to)
        self._channel.send("W", said)

    def _late(self, reply: dict[str, Any]) -> None:
        """Forgets the answer to a call whose cell has ended."""

    def _cell(self, cell: dict[str, Any]) -> None:
        self._end(cell, self._state.cell(cell, self._outbox.open()))

    def _end(self, request: dict[str, Any], ok: bool) -> None:
        self._outbox.close("Z", {"execution": request["execution"], "ok": ok})

    def _take(self, request: dict[str, Any], theirs: int = -1) -> None:
        if theirs < 0:
            return  # no number was free for it: the host sees the snapshot's channel end
        self._touch.look()
        snapshot.take(self._channel, request["checkpoint"], theirs, self._state.loop.descriptors())
        self._touch.copy(lambda: self._channel.waits(0))

    def _ask(self, question: dict[str, Any]) -> None:
        answer = questions.answer(question, self._state.names, self._state.given)
        self._channel.send("J", {"id": question["id"], **answer})
