"""One program, from its text to its frames.

warm() runs once in the zygote, pretouch() once in each child before it waits,
execute() once per child. Whatever the code assigns, replaces or closes, the
driver keeps references of its own and puts the builtins back before it
describes what happened.
"""

from __future__ import annotations

import _thread
import builtins
import gc
import importlib
import os
import random
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import IPython
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure

from . import core, errors, figures, fonts, inputs, notices, source
from . import display as outgoing
from .program import Program
from .streams import Streams

OUTPUT = "/workspace/output"
CELL = "<cell>"

Send = Callable[[str, Any], None]

_getpid, _leave = os.getpid, os._exit
_active, _threads, _first = threading.active_count, threading.enumerate, threading.main_thread
_core = core.build(outgoing.bundle)


class _Gate:
    """Sends frames from the process that was given the program, and no other.

    The code may fork or start threads; a frame from a child would forge the
    parent's story, two at once would tear each other.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._pid = _getpid()
        self._lock = _thread.allocate_lock()

    def here(self) -> bool:
        return _getpid() == self._pid

    def send(self, kind: str, payload: Any) -> None:
        if self.here():
            with self._lock:
                self._send(kind, payload)

    def notice(self, code: str, args: dict[str, str]) -> None:
        self.send("N", {"code": code, "args": args})


class _Run:
    """What one program has while it runs."""

    def __init__(self, run: dict[str, Any], send: Send) -> None:
        self.file: str = run.get("file") or CELL
        self.gate = _Gate(send)
        self.publisher = outgoing.Publisher(self.gate.send)
        self.capture = figures.Capture(self.publisher.publish)
        self.observer = notices.Observer(self.gate.notice)
        self.main = ModuleType("__main__")
        self.names: dict[str, Any] = vars(self.main)
        self.text = ""
        self.program: Program | None = None
        figures.begin(self.capture)
        notices.begin(self.observer)
        assert isinstance(_core.display_pub, core.Outlet)
        _core.display_pub.sink = self.publisher.publish
        _core.ignored = lambda line: self.gate.notice("magic_ignored", {"line": line[:200]})
        _core.run_timed = lambda text: Program(text, self.file).run(self.names)


def execute(run: dict[str, Any], send: Send) -> bool:
    """Runs one program and sends what came of it; True when it ended ok."""
    streams = Streams()
    os.environ.update(run.get("env") or {})
    state = _Run(run, send)
    loaded = inputs.load(run, state.gate.send)
    if loaded is None or run.get("describe"):
        return loaded is not None
    _prepare(state, loaded)
    ok = _run(state, run["source"])
    if not state.gate.here():
        streams.flush()
        _leave(0 if ok else 1)
    streams.flush()
    _wait_for_threads()
    streams.flush()
    return ok


def _prepare(state: _Run, loaded: inputs.Loaded) -> None:
    """The namespace the code finds, under the name it expects."""
    names = state.names
    names.update(
        __builtins__=builtins,
        __file__=state.file,
        pd=pd,
        np=np,
        plt=plt,
        display=display,
        get_ipython=IPython.get_ipython,
        out_dir=OUTPUT,
        dfs=dict(loaded.frames),
    )
    if loaded.first is not None:
        names["df"] = loaded.first
    sys.modules["__main__"] = state.main
    sys.argv = [state.file]
    state.observer.inputs = loaded
    if os.path.isdir(OUTPUT):
        os.chdir(OUTPUT)


_Base = BaseException  # the code may replace the builtin of that name


def _run(state: _Run, sent: str) -> bool:
    try:
        program, timed = _compile(state, sent)
    except _Base as error:
        _report(state, error, False)
        return False
    value: Any = None
    failure: BaseException | None = None
    try:
        value = core.timed(lambda: program.run(state.names)) if timed else program.run(state.names)
    except _Base as error:
        failure = error
    try:
        _calm()
    except _Base:  # a trace function raised; Python has removed it for that
        _calm()
    if failure is None or _is_plain_exit(failure):
        return _finish(state, value)
    _report(state, failure, True)
    return False


def _calm(
    untrace: Callable[[None], None] = sys.settrace,
    unprofile: Callable[[None], None] = sys.setprofile,
    restore: Callable[[dict[str, Any]], None] = vars(builtins).update,
    saved: dict[str, Any] = dict(vars(builtins)),  # noqa: B006 - bound early on purpose
) -> None:
    """Takes back what would run inside the driver. Uses no name the code can reach."""
    untrace(None)
    unprofile(None)
    restore(saved)


def _is_plain_exit(error: BaseException) -> bool:
    """sys.exit(), sys.exit(0), exit(): the end of a program that went well."""
    if not isinstance(error, SystemExit):
        return False
    return error.code is None or (isinstance(error.code, int) and not error.code)


def _compile(state: _Run, sent: str) -> tuple[Program, bool]:
    """The program, fences and notebook syntax understood; and whether it is timed."""
    prepared = source.prepare(sent)
    text = state.text = prepared.text
    if prepared.fenced:
        state.gate.notice("fence_removed", {})
    source.check(text, state.file)
    try:
        state.program = Program(text, state.file)
        return state.program, False
    except SyntaxError as plain:
        if not source.is_notebook(text):
            raise
        failed = plain
    cell = source.cell_magic(text)
    timed = False
    if cell is not None:
        name, line = cell
        if name in core.TIMERS:
            timed = True
        elif name not in ("capture", "prun"):
            what = f"the notebook command %%{name} is not available in this sandbox"
            raise SyntaxError(what, (state.file, line, 1, text.split("\n")[line - 1]))
        else:
            state.gate.notice("magic_ignored", {"line": f"%%{name}"})
        text = source.without_line(text, line)
    changed = core.transform(text)
    if changed == text and cell is None:
        raise failed
    state.program = Program(changed, state.file)
    state.program.text = state.text
    state.program.remember()
    return state.program, timed


def _finish(state: _Run, value: Any) -> bool:
    """Sends the result, the figures that are still open, and the notices."""
    if not state.gate.here():
        return True
    try:
        is_figure = issubclass(type(value), Figure)
        drawing = not is_figure and figures.is_drawing(value)
        drawn = state.capture.count or figures.any_open()
        if is_figure:
            state.capture.show(value, again=False, main=True)
        elif value is not None and not (drawing and drawn):
            state.publisher.show(value, main=True)
        state.capture.show_open()
    except Exception as error:
        _report(state, error, True)
        return False
    state.observer.finish(state.program, state.names, value)
    _tell(state)
    return True


def _tell(state: _Run) -> None:
    """Notices that were gathered on the way."""
    if state.capture.missing:
        state.gate.notice("missing_glyphs", {"characters": "".join(state.capture.missing)[:100]})
    for code, args in state.capture.notes[:20]:
        state.gate.notice(code, args)
    if state.publisher.dropped:
        state.gate.notice("results_dropped", {"count": str(state.publisher.dropped)})


def _report(state: _Run, error: BaseException, ran: bool) -> None:
    """Sends the exception and the tables the code could see."""
    if not state.gate.here():
        _show_in_child(state, error, ran)
        return
    if state.program is not None:
        state.program.remember()
    state.gate.send("E", errors.describe(error, state.text, state.file, ran))
    state.gate.send("T", notices.tables(state.names))
    _tell(state)


def _show_in_child(state: _Run, error: BaseException, ran: bool) -> None:
    """A process the code forked ends as Python would end it: on stderr."""
    if not isinstance(error, SystemExit):
        text = errors.describe(error, state.text, state.file, ran)["traceback"]
        os.write(2, text.encode("utf-8", "backslashreplace"))


def _wait_for_threads() -> None:
    """As the interpreter does at its end: threads and processes that are not daemons finish."""
    try:
        if _active() > 1:
            for thread in _threads():
                if thread is not _first() and not thread.daemon:
                    thread.join()
        processes = sys.modules.get("multiprocessing.process")
        for child in list(getattr(processes, "_children", ())):
            if not child.daemon:
                child.join()
    except Exception:  # the code may have replaced any of it
        return


def reseed(entropy: bytes) -> None:
    """Seeds every generator that the stack holds: a fork inherits its parent's."""
    random.seed(entropy)
    words = np.frombuffer(entropy[: len(entropy) // 4 * 4], dtype=np.uint32)
    np.random.seed(words)
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None  # type: ignore[attr-defined]
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._last_timestamp = None  # type: ignore[attr-defined]


_SAMPLE = """
import warnings
_t = pd.DataFrame({"key": ["a", "b", "a", "c"] * 8, "value": [1.5, 2.0, 3.25, 4.0] * 8, "n": range(32)})
_t["share"] = _t["value"] / _t["value"].sum()
_big = _t[_t["value"] > 1.75].sort_values("value", ascending=False)
_g = _t.groupby("key")["value"].sum()
_m = _t.groupby("key", as_index=False).agg({"value": "mean", "n": "max"})
_j = _t.merge(_m, on="key", how="left")
_line = f"{_g.sum():,.2f} {len(_j)}"
_g
"""

_CHART = """
_f, _a = plt.subplots()
_a.plot([1, 2, 3], [2, 4, 8], label="a")
_a.bar(["x", "y"], [3, 1])
_a.set_title("t")
_a.legend()
"""


def _sample(text: str) -> None:
    """Runs a program as execute does, seen by nobody."""
    state = _Run({"source": text, "file": "<sample>"}, lambda kind, payload: None)
    state.names.update(__builtins__=builtins, pd=pd, np=np, plt=plt)
    if not _run(state, text):
        raise RuntimeError("the driver's sample failed")
    errors.forget("<sample>")


def pretouch() -> None:
    """Copies, ahead of need, the pages that a typical analysis will write to."""
    _sample(_SAMPLE)
    _after()


def warm(modules: list[str]) -> None:
    """Imports and builds everything once. Leaves one thread and default settings."""
    for name in modules:
        importlib.import_module(name)
    fonts.install()
    figures.install()
    notices.install()
    for name in ("asyncio", "decimal", "inspect", "json", "logging", "tempfile", "uuid"):
        importlib.import_module(name)
    for _ in range(2):
        _sample(_SAMPLE)
        _sample(_CHART)
        inputs.warm()
    _after()
    matplotlib.rcdefaults()
    matplotlib.use("agg")
    fonts.close()
    gc.collect()
    gc.freeze()


def _after() -> None:
    """Takes back what a sample left behind."""
    plt.close("all")
    figures.end()
    notices.end()
    assert isinstance(_core.display_pub, core.Outlet)
    _core.display_pub.sink = None
    _core.ignored = _core.run_timed = core.nothing
