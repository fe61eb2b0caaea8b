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

from . import adopting, limit, linux, prefault, seeds, serve, shell, wall
from .channel import Channel, Closed, frame
from .tables.parquet import ON_DEMAND
from .template import Unfit

CONTROL = 3
SETTLED = 4  # closed when nothing is left to be done but to fork

_IDLE = 0.01  # seconds without a request after which there is time for a step


def main() -> None:
    control = Channel(socket.socket(fileno=CONTROL))
    kind, start, fds = control.receive()
    if kind != "S":
        raise SystemExit(f"unexpected frame {kind!r}")
    shell.warm(start["modules"])
    held = 0
    if start["template"]:
        (columns,) = fds
        try:
            held = adopting.adopt(columns, start["memory"])
        except Unfit as why:
            control.send("S", {"error": str(why), "unfit": True})
            return
        os.close(columns)
    if os.path.isdir(ON_DEMAND):
        sys.path.append(ON_DEMAND)
    one, session = (
        linux.Filter(base64.b64decode(start[name]), start["filter_flags"]) for name in ("filter", "session_filter")
    )
    zygote = Zygote(control, one, session)
    gc.enable()
    if start["template"]:
        zygote.settle()  # its children find the dataset on pages that they share
    control.send("S", {"modules": list(sys.modules)} if start["limit"] else {"bytes": held})
    if start["limit"]:
        zygote.settle()
        limit.serve(control)
    try:
        zygote.serve()
    except Closed:
        return


class Zygote:
    """Forks as soon as it can, and gets better at it while nobody asks.

    The steps take a quarter of a second in all. A first program does not wait
    for them; sandboxes that are made ahead of need do (SETTLED).
    """

    def __init__(self, control: Channel, one: linux.Filter, session: linux.Filter) -> None:
        self._control = control
        self._filters = (one, session)
        self._always = self._often = linux.Memory([])  # pages to copy ahead
        self._steps = [shell.warm_charts, shell.warm_readers, shell.settle, self._record, advise]
        _check_alone()

    def serve(self) -> None:
        """Answer every request until the warden is gone."""
        while True:
            if self._steps and not self._control.waits(_IDLE):
                self._step()
            else:
                self._fork()

    def settle(self) -> None:
        """Take the steps that are left."""
        while self._steps:
            self._step()

    def _step(self) -> None:
        self._steps.pop(0)()
        if not self._steps:
            _check_alone()
            os.close(SETTLED)

    def _record(self) -> None:
        own = os.open("/proc/self/ns/pid", os.O_RDONLY)
        os.setns(own, linux.CLONE_NEWPID)  # not the sandbox's of the last fork
        os.close(own)
        least, *typical = prefault.record(*map(_rehearsal, (shell.LEAST, *shell.SAMPLES)))
        always = prefault.common(least, *typical)
        self._always = prefault.memory(always)
        self._often = prefault.memory(prefault.common(*typical, without=always))

    def _fork(self) -> None:
        kind, request, fds = self._control.receive()
        if kind != "F":
            raise SystemExit(f"unexpected frame {kind!r}")
        plan = wall.Plan(**request)
        if plan.session:
            self.settle()  # it lives long, and forks itself after every cell
        first = _First([] if plan.into else fds[4 : 4 + plan.groups], self._always)
        try:
            os.setns(fds[0], linux.CLONE_NEWPID)  # for children only
            pid, pidfd = linux.fork(fds[4] if plan.into else -1, first)
        except OSError as error:
            self._control.send("P", {"pid": 0, "error": str(error)})
        else:
            if pid == 0:
                self._control.close()  # before anything else: no child may speak as the zygote
                if self._steps:
                    os.close(SETTLED)
                _child(plan, fds, first.failed, self._filters[plan.session], self._often)
            os.close(pidfd)
            self._control.send("P", {"pid": pid, "error": ""})
        for fd in fds:
            os.close(fd)


class _First:
    """What a child does before anything else: it pays for the pages that Python's own steps after a fork write."""

    def __init__(self, groups: list[int], pages: linux.Memory) -> None:
        self._groups = groups
        self._pages = pages
        self.failed: wall.SetupFailed | None = None

    def __call__(self) -> None:
        try:
            wall.join(self._groups)
        except wall.SetupFailed as failed:
            self.failed = failed
        else:
            self._pages.populate()


def _check_alone() -> None:
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise SystemExit(f"{threads} threads: a fork would lose all but one")


def _rehearsal(sample: str) -> Callable[[], None]:
    """What a child and then a typical program do to the zygote's memory."""
    run = frame("R", shell.sample_run(sample))  # made here: no child makes one

    def work() -> None:
        seeds.renew()
        ours, theirs = socket.socketpair()
        theirs.send(run)
        _unheard, writer = os.pipe()
        for stream in (1, 2):
            os.dup2(writer, stream)
        shell.rehearse(Channel(ours))

    return work


def _child(
    plan: wall.Plan,
    fds: list[int],
    failed: wall.SetupFailed | None,
    filter_: linux.Filter,
    pages: linux.Memory,
) -> None:
    """Serve one sandbox and leave without running anything of the zygote's."""
    status = 1
    try:
        serve.serve(plan, fds, failed, filter_, pages)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def advise() -> None:
    """Put memory on huge pages where it can: a fork copies fewer entries.

    The last step: what the zygote writes while a child shares a huge page splits it.
    """
    huge = 2 << 20
    for start, end in linux.writable_mappings():
        linux.madvise(start, end - start, linux.MADV_HUGEPAGE)
        first, last = -(-start // huge) * huge, end // huge * huge
        if last > first:
            linux.madvise(first, last - first, linux.MADV_COLLAPSE)
