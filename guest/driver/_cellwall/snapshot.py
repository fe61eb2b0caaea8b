"""Snapshots: sisters that the live interpreter forks, which wait and fork live ones.

A snapshot is out of the cells' reach: it is not dumpable from before it exists,
blocks every signal, has a session of its own, and runs no code of theirs. It
reads its channel and nothing else, and ends with it.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from typing import Any, NoReturn

from . import descriptors, linux, locks, lost, pipes, repairs, wall
from .channel import Channel

_mask, _BLOCK, _SET, _ALL = signal.pthread_sigmask, signal.SIG_BLOCK, signal.SIG_SETMASK, signal.valid_signals()
_close, _dup2, _setsid, _leave = os.close, os.dup2, os.setsid, os._exit
_collects, _collect, _keep = gc.isenabled, gc.enable, gc.disable


def take(channel: Channel, checkpoint: str, theirs: int, own: set[int]) -> None:
    """Forks a snapshot that speaks on theirs; own are descriptors that the driver opened.

    Returns in the interpreter that was asked, and in every one that the snapshot
    forks, when it is as good as the first.
    """
    try:
        fork = _Fork(channel, checkpoint, own | {theirs})
    except Exception as error:  # no descriptor is left to look with, or a cell replaced what looks
        _failed(checkpoint, theirs, error)
        return
    before = _mask(_BLOCK, _ALL)
    new = False
    try:
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        if linux.fork_sister() == 0:
            fork.stand(theirs)
            new = True
        else:
            _close(theirs)
    except OSError as error:
        _failed(checkpoint, theirs, error)
    linux.prctl(linux.PR_SET_DUMPABLE, 1)
    _mask(_SET, before)
    if new:
        channel.send("U", {"checkpoint": checkpoint, "lost": fork.lost})


def _failed(checkpoint: str, theirs: int, error: Exception) -> None:
    """Tells in the snapshot's place that there is none."""
    said = Channel(socket.socket(fileno=theirs))
    try:
        said.send("S", {"checkpoint": checkpoint, "error": str(error), "cannot": []})
    except OSError:
        pass  # the host has given it up
    finally:
        said.close()


class _Fork:
    """What the interpreter knows before the fork, for the two after it."""

    def __init__(self, channel: Channel, checkpoint: str, own: set[int]) -> None:
        self._channel = channel
        self._checkpoint = checkpoint
        opened = descriptors.opened()
        files = descriptors.files(opened)
        self._ends = pipes.Ends(opened, own)
        self._locks = locks.Held(files)
        self.lost = lost.find(self._ends.count, self._locks.lost)
        self._kept = repairs.Kept(files, self._locks.renew)

    def stand(self, theirs: int) -> None:
        """The snapshot's life. Returns in the interpreters that it forks, and only there."""
        collects = _collects()
        try:
            _keep()
            _take_channel(theirs)
            _setsid()
            self._ends.release()
            self._locks.release()
            self._channel.send("S", {"checkpoint": self._checkpoint, "error": "", "cannot": self.lost})
            request = self._wait()
        except BaseException:  # the host is gone, or speaks of something else
            self._end()
        _setsid()  # or a cell that kills its own group would kill the snapshot with it
        if collects:
            _collect()
        self._kept.repair(request["reseed"], self._ends.renew)

    def _end(self) -> NoReturn:
        _leave(0)

    def _wait(self) -> dict[str, Any]:
        while True:
            kind, request, sent = self._channel.receive()
            if kind != "G":
                self._end()
            if not sent:
                continue  # no number was free for it: the host sees the new channel end
            (theirs,) = sent
            try:
                pid = linux.fork_sister()
            except OSError:
                pid = -1  # likewise
            if pid == 0:
                _take_channel(theirs)
                return request  # type: ignore[no-any-return]
            _close(theirs)


def _take_channel(theirs: int) -> None:
    """Makes theirs the channel, and so lets go of the one that another speaks on."""
    _dup2(theirs, wall.CHANNEL, False)
    _close(theirs)
