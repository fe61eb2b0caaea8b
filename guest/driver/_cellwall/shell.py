"""What serve and the zygote call: warm and what refines it, rehearse, execute.

warm() runs once in the zygote before its first fork; warm_charts(),
warm_readers() and settle() once when it has time; execute() once per child.
"""

from __future__ import annotations

import builtins
import gc
import importlib
from collections.abc import Callable
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from . import core, errors, execution, figures, fonts, immortal, inputs, notices, processes, seeds, tools
from . import streams as standard
from .calls import Desk
from .channel import Channel

Send = Callable[[str, Any], None]

TEMPLATE = execution.OUTPUT + "/template"  # where the host looks for it

_streams: list[standard.Streams] = []  # for the run to come


def execute(run: dict[str, Any], send: Send, desk: Callable[[Send], Desk] | None = None) -> bool:
    """Runs one program and sends what came of it; True when it ended ok. desk takes its calls."""
    streams = take_streams()
    processes.begin(run.get("env"))
    state = execution.Run(run, send)
    loaded = inputs.load(run, state.gate.send)
    if loaded is None:
        return False
    if run.get("describe"):
        return not run.get("export") or inputs.export(loaded, TEMPLATE, state.gate.send)
    execution.prepare(state, loaded, run.get("own"))
    if desk is not None and run.get("tools"):
        tools.offer(state.names, run["tools"], desk(state.gate.send))
    ok = execution.run(state, run["source"])
    if not state.gate.here():
        streams.flush()
        execution.leave(0 if ok else 1)
    streams.flush()
    execution.wait_for_threads()
    streams.flush()
    return ok


def take_streams() -> standard.Streams:
    """The streams that were made ahead, installed."""
    streams = _streams.pop()
    streams.install()
    return streams


# Run once in the zygote, so that nothing is imported or built in a child.
_STACK = """
import warnings
_t = pd.DataFrame({"key": ["a", "b", "a", "c"] * 8, "value": [1.5, 2.0, 3.25, 4.0] * 8, "n": range(32)})
_t["share"] = _t["value"] / _t["value"].sum()
_big = _t[_t["value"] > 1.75].sort_values("value", ascending=False)
_m = _t.groupby("key", as_index=False).agg({"value": "mean", "n": "max"})
_j = _t.merge(_m, on="key", how="left")
_p = _t.pivot_table(index="key", columns="n", values="value", aggfunc="sum")
_d = pd.to_datetime(pd.Series(["2024-01-02", "2024-02-03"])).dt.month
_line = f"{len(_j):,} {_t.describe()} {_t['key'].value_counts()}"
_t
"""

LEAST = "_line = 6 * 7\n"  # run by a trial child: what no program does without

# Run by trial children: what these have in common nearly every analysis does.
SAMPLES = (
    """
_t = pd.DataFrame({"key": ["a", "b", "a", "c"] * 8, "value": [1.5, 2.0, 3.25, 4.0] * 8})
_g = _t.groupby("key")["value"].sum()
_line = str(_g)
""",
    """
_t = pd.DataFrame({"n": range(40), "kind": ["x", "y"] * 20, "weight": np.linspace(0, 1, 40)})
_m = _t.groupby("kind").agg({"weight": "mean", "n": "max"})
_line = f"{_m.round(2).to_string()} {_t['n'].sum():,}"
""",
)

_CHART = """
_f, _a = plt.subplots(figsize=(2, 1.5))
_a.plot([1, 2, 3], [2, 4, 8], label="a")
_a.bar(["x", "y"], [3, 1])
_a.set_title("t")
_a.legend()
"""


def _sample(text: str) -> None:
    """Runs a program as execute does, seen by nobody."""
    state = execution.Run({"source": text, "file": "<sample>"}, lambda kind, payload: None)
    state.names.update(__builtins__=builtins, pd=pd, np=np, plt=plt)
    if not execution.run(state, text):
        raise RuntimeError("the driver's sample failed")
    errors.forget("<sample>")


def sample_run(sample: str) -> dict[str, Any]:
    """A sample as it comes over the channel."""
    return {
        "execution": "exec_sample",
        "source": f"{sample}print(_line)\n",
        "file": execution.CELL,
        "inputs": [],
        "rows": 1,
        "sample": "random",
        "describe": False,
        "export": False,
        "env": {processes.CPUS: "1"},
    }


def rehearse(channel: Channel) -> None:
    """Does in a trial child all that a child does with a program that comes, and leaves it behind."""
    _, run, _ = channel.receive()
    if not execute(run, channel.send):
        raise RuntimeError("the driver's sample failed")


def warm(modules: list[str]) -> None:
    """Imports and builds what every program needs. Leaves one thread and default settings."""
    for name in modules:
        importlib.import_module(name)
    fonts.install()
    figures.install()
    notices.install()
    processes.warm()
    for name in ("asyncio", "decimal", "inspect", "json", "logging", "tempfile", "uuid"):
        importlib.import_module(name)
    for text in (_STACK, *SAMPLES):
        _sample(text)
    _tidy()


def warm_charts() -> None:
    """Draws what most charts have: a child saves 80 ms."""
    _sample(_CHART)
    _tidy()


def warm_readers() -> None:
    """Reads a small file: a child saves 30 ms."""
    inputs.warm()
    _tidy()


def settle() -> None:
    """Makes what the zygote holds cheap to fork."""
    gc.unfreeze()  # what is frozen is in no list of the collector's
    immortal.mark_all()
    gc.freeze()


def _tidy() -> None:
    """Leaves default settings, and no file that the children would share.

    Nothing is collected: the cycles that imports leave are 5,000 objects, and
    finding them takes 100 ms.
    """
    _after()
    matplotlib.rcdefaults()
    matplotlib.use("agg")
    fonts.close()
    seeds.prepare()
    _streams[:] = [standard.ahead()]
    gc.freeze()


def _after() -> None:
    """Takes back what a sample left behind."""
    plt.close("all")
    figures.end()
    notices.end()
    assert isinstance(execution.shell_core.display_pub, core.Outlet)
    execution.shell_core.display_pub.sink = None
    execution.shell_core.ignored = execution.shell_core.run_timed = core.nothing
