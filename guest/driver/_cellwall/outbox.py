"""What a session says to the host: whole frames, and between cells none.

Threads of cells go on when their cell has ended. What they show then belongs to
the next cell, as what they print does.
"""

from __future__ import annotations

import _thread
from collections import deque
from typing import Any

from .channel import Channel
from .interrupts import Interrupts

HELD = 32  # values between two cells; later ones are dropped


class Outbox:
    """Sends frames one at a time, whoever asks."""

    def __init__(self, channel: Channel, interrupts: Interrupts) -> None:
        self._send = channel.send
        self._interrupts = interrupts
        self._lock = _thread.allocate_lock()
        self._open = False
        self._held: deque[Any] = deque(maxlen=HELD)

    def open(self) -> list[Any]:
        """A cell begins. Returns the values that came since the last one."""
        held = list(self._held)
        self._held.clear()
        self._open = True
        return held

    def send(self, kind: str, payload: Any) -> None:
        """Sends a frame of a cell."""
        self._interrupts.whole(lambda: self._locked(kind, payload))

    def close(self, kind: str, payload: Any) -> None:
        """Sends the last frame of a cell."""
        with self._lock:
            self._open = False
            self._send(kind, payload)

    def _locked(self, kind: str, payload: Any) -> None:
        with self._lock:
            if self._open:
                self._send(kind, payload)
            elif kind == "V":
                self._held.append(payload["data"])

    def repair(self) -> None:
        """After a fork: a thread that held the lock is gone."""
        self._lock = _thread.allocate_lock()
