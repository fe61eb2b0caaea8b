"""The zygote: one warm, single-threaded interpreter that forks and does nothing else.

It speaks only with the warden, over descriptor 3, holds no secret and never
runs a user's code.
"""

import base64
import gc
import os
import socket
import sys
import traceback
from collections.abc import Callable

from . import limit, linux, prefault, seeds, serve, shell, wall
from .channel import Channel, Closed
from .tables.parquet import ON_DEMAND

CONTROL = 3


def main() -> None:
    control = Channel(socket.socket(fileno=CONTROL))
    kind, start, _ = control.receive()
    if kind != "S":
        raise SystemExit(f"unexpected frame {kind!r}")
    shell.warm(start["modules"])
    if os.path.isdir(ON_DEMAND):
        sys.path.append(ON_DEMAND)
    filter_ = linux.Filter(base64.b64decode(start["filter"]), start["filter_flags"])
    gc.enable()
    advised = advise()
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise SystemExit(f"{threads} threads: a fork would lose all but one")
    pages = prefault.record(*map(_rehearsal, shell.SAMPLES))
    if start["limit"]:
        control.send("S", {"modules": list(sys.modules)})
        limit.serve(control)
    control.send("S", {"python": sys.version.split()[0], "huge_mappings": advised})
    try:
        while True:
            _fork_one(control, filter_, pages)
    except Closed:
        return


def _rehearsal(sample: str) -> Callable[[], None]:
    """What a child and then a typical program do to the zygote's memory."""

    def work() -> None:
        seeds.renew()
        shell.rehearse(sample)

    return work


def _fork_one(control: Channel, filter_: linux.Filter, pages: linux.Memory) -> None:
    kind, request, fds = control.receive()
    if kind != "F":
        raise SystemExit(f"unexpected frame {kind!r}")
    plan = wall.Plan(**request)
    try:
        os.setns(fds[0], linux.CLONE_NEWPID)  # for children only
        pid, pidfd = linux.fork(fds[4] if plan.into else -1)
    except OSError as error:
        control.send("P", {"pid": 0, "error": str(error)})
    else:
        if pid == 0:
            control.close()  # before anything else: no child may speak as the zygote
            _child(plan, fds, filter_, pages)
        os.close(pidfd)
        control.send("P", {"pid": pid, "error": ""})
    for fd in fds:
        os.close(fd)


def _child(plan: wall.Plan, fds: list[int], filter_: linux.Filter, pages: linux.Memory) -> None:
    """Serve one sandbox and leave without running anything of the zygote's."""
    status = 1
    try:
        serve.serve(plan, fds, filter_, pages)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def advise() -> int:
    """Put memory on huge pages where it can: a fork copies fewer entries."""
    collapsed = 0
    huge = 2 << 20
    for start, end in linux.writable_mappings():
        linux.madvise(start, end - start, linux.MADV_HUGEPAGE)
        first, last = -(-start // huge) * huge, end // huge * huge
        if last > first and linux.madvise(first, last - first, linux.MADV_COLLAPSE):
            collapsed += 1
    return collapsed
