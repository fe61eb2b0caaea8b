"""What no wall can beat: bare forks of a zygote, for the benchmark.

A twin of the zygote: started, warmed and advised by the same code, forking by
the same call. It serves no sandbox, and its children run the benchmark's own
programs without a wall.
"""

import os
import select
import time
from typing import Any

from . import linux
from .channel import Channel


def serve(control: Channel) -> None:
    """Answer each request {"source", "runs", "parallel"} with the time of every run in ms."""
    while True:
        kind, request, _ = control.receive()
        if kind != "L":
            raise SystemExit(f"unexpected frame {kind!r}")
        control.send("L", measure(control, **request))


def measure(control: Channel, source: str, runs: int, parallel: int) -> dict[str, Any]:
    """Time runs from before the fork until the kernel says that the child has ended."""
    proofs, proof = os.pipe()
    os.set_blocking(proofs, False)
    poller = select.poll()
    alive: dict[int, float] = {}
    times: list[float] = []
    began = time.perf_counter()
    started = 0
    while len(times) < runs:
        while started < runs and len(alive) < parallel:
            before = time.perf_counter()
            pid, pidfd = linux.fork()
            if pid == 0:
                control.close()
                _child(source, proof)
            poller.register(pidfd, select.POLLIN)
            alive[pidfd] = before
            started += 1
        for pidfd, _ in poller.poll():
            if os.read(proofs, 1) != b".":
                raise RuntimeError("a program of the benchmark failed")
            times.append((time.perf_counter() - alive.pop(pidfd)) * 1e3)
            poller.unregister(pidfd)
            os.close(pidfd)
    os.close(proofs)
    os.close(proof)
    return {"times_ms": times, "total_ms": (time.perf_counter() - began) * 1e3}


def _child(source: str, proof: int) -> None:
    import matplotlib.pyplot as plt
    import numpy as np
    import pandas as pd

    status = 1
    try:
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 1)
        code = compile(source, "<bench>", "exec")  # every run brings a text of its own
        exec(code, {"__name__": "__main__", "pd": pd, "np": np, "plt": plt})
        os.write(proof, b".")
        status = 0
    finally:
        os._exit(status)
