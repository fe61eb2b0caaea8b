"""The life of a sandbox's interpreter: hello, one program, done; or a session."""

import os
import socket
import sys
from typing import Any

from . import PROTOCOL, VERSION, seeds, session, shell, wall
from .calls import Desk
from .channel import Channel
from .linux import Filter, Memory

FEATURES = ["values", "tables", "datasets", "notices", "session", "calls"]

_flush = (sys.stdout.flush, sys.stderr.flush)


def serve(
    plan: wall.Plan, fds: list[int], failed: wall.SetupFailed | None, filter_: Filter, pages: Memory
) -> None:
    """Enter the wall and serve. Never returns normally: the caller leaves the process.

    failed is what kept this process from joining its groups.
    """
    holder, *streams = fds[:4]
    channel = Channel(socket.socket(fileno=os.dup(streams[0])))
    try:
        if failed:
            raise failed
        if plan.ahead:  # else somebody would wait for pages that his program may not need
            pages.populate()
        wall.enter(plan, holder, (streams[0], streams[1], streams[2]))
        channel.forget()
        channel = Channel(socket.socket(fileno=wall.CHANNEL))
        seeds.renew()
        try:
            listener = filter_.install()
        except OSError as error:
            raise wall.SetupFailed("install filter", error) from error
    except wall.SetupFailed as error:
        channel.send("Q", {"step": error.step, "errno": error.errno, "text": error.text})
        return
    hello = {"protocol": PROTOCOL, "driver": VERSION, "language": "python", "features": FEATURES}
    channel.send("H", hello, (listener,))
    os.close(listener)
    if plan.session:
        session.serve(channel)
    else:
        _run_one(channel)


def _run_one(channel: Channel) -> None:
    kind, run, _ = channel.receive()
    if kind != "R":
        return

    def send(kind: str, payload: Any) -> None:
        channel.send(kind, payload)

    execution = run["execution"]
    ok = shell.execute(run, send, lambda gated: Desk(channel, gated))
    for flush in _flush:
        try:
            flush()
        except (OSError, ValueError):
            pass  # the code closed its own stream
    # The caller leaves the process now, so that its memory is on its way out
    # before the controller has even heard.
    channel.send("Z", {"execution": execution, "ok": ok})
