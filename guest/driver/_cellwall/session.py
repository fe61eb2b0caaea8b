"""A session: one interpreter that lives on, and the cells that are sent to it.

The loop knows frames; what a cell is stands in cells.
"""

from typing import Any

from .cells import State
from .channel import Channel, Closed
from .linux import Memory


def serve(channel: Channel, pages: Memory) -> None:
    """Answers what the host asks until it lets go of the session."""
    Session(channel, pages).serve()


class Session:
    """The live interpreter's end of the channel."""

    def __init__(self, channel: Channel, pages: Memory) -> None:
        self._channel = channel
        self._pages = pages
        self._state = State(channel.send)

    def serve(self) -> None:
        while True:
            try:
                kind, payload, _ = self._channel.receive()
            except Closed:
                return
            if kind == "B":
                self._end(payload, self._state.begin(payload))
            elif kind == "X":
                self._end(payload, self._state.cell(payload))
            else:
                return

    def _end(self, request: dict[str, Any], ok: bool) -> None:
        self._channel.send("Z", {"execution": request["execution"], "ok": ok})
