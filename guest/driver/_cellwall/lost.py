"""What a snapshot cannot bring back, looked up before it is taken.

From the kernel's tables of this process and from the threads that Python
knows; no object of the code is asked.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable
from typing import Any

from . import execution, values

NAMES = 200  # characters
_known = threading._active  # type: ignore[attr-defined]
_of = object.__getattribute__  # a subclass may have names of its own

Notice = dict[str, Any]


def find(ends: int, locked: list[str]) -> list[Notice]:
    """The notices; ends is how many of pipes and sockets there are, locked names files with record locks."""
    found: list[Notice] = []
    for look in (_threads, _processes, _timers, _mappings):
        found += _try(look)
    return found + notice("lost_locks", locked) + notice("lost_pipes", (), ends)


def _try(look: Any) -> list[Notice]:
    try:
        return list(look())
    except BaseException:  # the code may have replaced anything of the standard library
        return []


def notice(code: str, names: Iterable[str], count: int = 0) -> list[Notice]:
    """One notice, or none when there is nothing."""
    shown = sorted(set(names))
    count = count or len(shown)
    if not count:
        return []
    args = {"count": str(count)}
    if shown:
        args["names"] = values.cut(", ".join(shown), NAMES)
    return [{"code": code, "args": args}]


def _threads() -> list[Notice]:
    """Threads that code started, and the pools that others belong to."""
    queues = dict(getattr(sys.modules.get("concurrent.futures.thread"), "_threads_queues", ()))
    native = set(os.listdir("/proc/self/task"))
    native.discard(str(os.getpid()))
    pools: set[int] = set()
    plain: list[str] = []
    for thread in list(_known.values()):
        name, kind = str(_of(thread, "_name")), type(thread).__name__
        native.discard(str(_of(thread, "_native_id")))
        if kind == "_MainThread":
            continue
        if thread in queues:
            pools.add(id(queues[thread]))
        elif kind == "_ExecutorManagerThread" or name.endswith(" (_handle_workers)"):
            pools.add(id(thread))
        elif kind != "DummyProcess" and not name.endswith((" (_handle_tasks)", " (_handle_results)")):
            plain.append(name)
    plain += [_name(f"/proc/self/task/{number}/comm") for number in native]
    return notice("lost_threads", plain, len(plain)) + notice("lost_pools", (), len(pools))


def _name(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().strip()


def _processes() -> list[Notice]:
    names = []
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
            names += [_name(f"/proc/{pid}/comm") for pid in file.read().split()]
    return notice("lost_processes", names, len(names))


def _timers() -> list[Notice]:
    kinds = {"real": signal.ITIMER_REAL, "virtual": signal.ITIMER_VIRTUAL, "prof": signal.ITIMER_PROF}
    return notice("lost_timers", [name for name, kind in kinds.items() if any(signal.getitimer(kind))])


_looked: list[Any] = [None, []]  # how much was mapped when it was last looked at, and what was found


def _mappings() -> list[Notice]:
    """Shared mappings that can be written, but those of the files that come back as well.

    The table is long: it is read when it must have changed.
    """
    with open("/proc/self/statm", encoding="ascii") as file:
        size, _, _, _, _, data, _ = map(int, file.read().split())
    if _looked[0] != size - data:  # private memory that can be written is data, and comes and goes
        _looked[:] = [size - data, _shared()]
    return list(_looked[1])


def _shared() -> list[Notice]:
    names = []
    with open("/proc/self/maps", "rb") as file:
        maps = file.read()
    if b" rw-s " not in maps:
        return []
    for line in maps.decode("utf-8", "replace").splitlines():
        fields = line.split(maxsplit=5)
        path = fields[5] if len(fields) > 5 else ""
        if fields[1] == "rw-s" and (path.endswith(" (deleted)") or not path.startswith(execution.OUTPUT + "/")):
            names.append(os.path.basename(path))
    return notice("lost_mappings", filter(None, names), len(names))
