"""Worker processes as a sandbox can have them."""

from __future__ import annotations

import os
import sys
from multiprocessing import context, shared_memory

CPUS = "LOKY_MAX_CPU_COUNT"  # how many processors joblib believes in


def warm() -> None:
    """In the zygote: every start method of multiprocessing is a fork, under its own name.

    A fork server binds a socket to a name, which the wall refuses; scipy asks
    for one by itself when nobody has chosen. A spawned interpreter would look
    for the functions of a program that no file holds, and a pool of them would
    start workers that die until the time is over.
    """
    os.environ[CPUS] = "1"  # as nearly every run says
    methods: dict[str, context.BaseContext] = context._concrete_contexts  # type: ignore[attr-defined]
    for name in ("spawn", "forkserver"):
        methods[name] = type("ForkContext", (context.ForkContext,), {"_name": name})()
    # A tracker would be one more process, to remove what goes with the sandbox
    # anyhow; where a block was too large for its file system and its program was
    # killed for that, it would race with whoever looks why.
    shared_memory.SharedMemory.__init__.__kwdefaults__ = {"track": False}


def begin(env: dict[str, str] | None = None) -> None:
    """Takes the environment, and in a sandbox with one processor n_jobs without a backend as the process itself.

    Workers that import the whole stack again cost seconds each and gain
    nothing. A backend that the code names is used.
    """
    for name, value in (env or {}).items():
        if os.environ.get(name) != value:  # to write costs ten times as much as to look
            os.environ[name] = value
    parallel = sys.modules.get("joblib.parallel")
    if parallel is not None and os.environ.get(CPUS) == "1":
        parallel.DEFAULT_BACKEND = "sequential"  # type: ignore[attr-defined]
