"""One program, from its text to its frames.

Whatever the code assigns, replaces or closes, the driver keeps references of
its own and puts the builtins back before it describes what happened.
"""

from __future__ import annotations

import _thread
import builtins
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import IPython
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure

from . import core, errors, figures, inputs, notices, ours, restricted, source, streams
from . import display as outgoing
from .program import Program

OUTPUT = "/workspace/output"
CELL = "<cell>"

Send = Callable[[str, Any], None]

_getpid, leave = os.getpid, os._exit
_builtins = {**vars(builtins), "input": streams.ask}
_restore = vars(builtins).update
_active, _threads, _first = threading.active_count, threading.enumerate, threading.main_thread
_at_end = threading._threading_atexits  # type: ignore[attr-defined]
shell_core = core.build(outgoing.bundle)


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


@dataclass
class Home:
    """What a program is run in and with."""

    main: ModuleType
    capture: figures.Capture
    call: Callable[[Callable[[], Any]], Any] = lambda work: work()  # around the code itself
    show: Callable[[Callable[[], Any]], Any] = lambda work: work()  # around what is shown at its end
    remember: Callable[[], None] = lambda: None  # has tracebacks find the lines of earlier cells
    wait: Callable[[Any], Any] | None = None  # for a coroutine
    lasting: bool = False  # a next cell will find what this one leaves


class Run:
    """What one program has while it runs; a cell has home, its session, as well."""

    def __init__(self, run: dict[str, Any], send: Send, home: Home | None = None) -> None:
        self.home = home or Home(ModuleType("__main__"), figures.Capture())
        self.file: str = run.get("file") or CELL
        self.gate = _Gate(send)
        self.publisher = outgoing.Publisher(self.gate.send)
        self.capture = self.home.capture
        self.capture.begin(self.publisher.publish)
        self.observer = notices.Observer(self.gate.notice)
        self.main = self.home.main
        self.names: dict[str, Any] = vars(self.main)
        self.builtins = restricted.builtins_of(run.get("restrict"))
        self.text = ""
        self.value: Any = None
        self.program: Program | None = None
        figures.begin(self.capture)
        notices.begin(self.observer)
        assert isinstance(shell_core.display_pub, core.Outlet)
        shell_core.display_pub.sink = self.publisher.publish
        shell_core.ignored = lambda line: self.gate.notice("magic_ignored", {"line": line[:200]})
        shell_core.run_timed = lambda text: Program(text, self.file).run(self.names, self.home.wait)


def prepare(state: Run, loaded: inputs.Loaded, own: dict[str, Any] | None = None) -> None:
    """The namespace the code finds, under the name it expects; own is of a program of ours."""
    names = state.names
    names.update(
        __builtins__=state.builtins,
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
    if own is not None:
        names["sources"] = ours.Sources(loaded, own.get("memory") or 0)
    sys.modules["__main__"] = state.main
    sys.argv = [state.file]
    state.observer.inputs = loaded
    if os.path.isdir(OUTPUT):
        os.chdir(OUTPUT)


def receive(state: Run, work: Callable[[], list[dict[str, Any]]]) -> bool:
    """Has work make a state, which may run code of cells, and tells what did not come along."""
    try:
        for lost in state.home.call(work):
            state.gate.notice(lost["code"], lost["args"])
    except _Base as error:
        _calm()
        _report(state, error, True)
        return False
    _calm()
    return True


_Base = BaseException  # the code may replace the builtin of that name


def run(state: Run, sent: str) -> bool:
    try:
        program, timed = _compile(state, sent)
    except _Base as error:
        _report(state, error, False)
        return False

    def work() -> Any:
        return program.run(state.names, state.home.wait)

    failure: BaseException | None = None
    try:
        state.value = state.home.call(lambda: core.timed(work) if timed else work())
    except _Base as error:
        failure = error
    try:
        _calm()
    except _Base:  # a trace function raised; Python has removed it for that
        _calm()
    if failure is None or _is_plain_exit(failure):
        return _finish(state, state.value)
    _report(state, failure, True)
    return False


def _calm(
    untrace: Callable[[None], None] = sys.settrace,
    unprofile: Callable[[None], None] = sys.setprofile,
    restore: Callable[[dict[str, Any]], None] = _restore,
    saved: dict[str, Any] = _builtins,
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


def _compile(state: Run, sent: str) -> tuple[Program, bool]:
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


def _finish(state: Run, value: Any) -> bool:
    """Sends the result, the figures that are still open, and the notices."""
    if not state.gate.here():
        return True
    try:
        state.home.show(lambda: _show(state, value))
    except _Base as error:
        _report(state, error, True)
        return False
    state.observer.finish(state.program, state.names, value)
    _tell(state)
    return True


def _show(state: Run, value: Any) -> None:
    is_figure = issubclass(type(value), Figure)
    drawing = not is_figure and figures.is_drawing(value)
    drawn = state.capture.count or figures.any_open()
    if is_figure:
        state.capture.show(value, again=value not in state.capture.shown, main=True)
    elif value is not None and not (drawing and drawn):
        state.publisher.show(value, main=True)
    if state.home.lasting:
        state.capture.leave(True)
    else:
        state.capture.show_open()


def _tell(state: Run) -> None:
    """Notices that were gathered on the way."""
    if state.capture.missing:
        state.gate.notice("missing_glyphs", {"characters": "".join(state.capture.missing)[:100]})
    for code, args in state.capture.notes[:20]:
        state.gate.notice(code, args)
    if state.publisher.dropped:
        state.gate.notice("results_dropped", {"count": str(state.publisher.dropped)})


def _report(state: Run, error: BaseException, ran: bool) -> None:
    """Sends the exception and the tables the code could see."""
    if not state.gate.here():
        _show_in_child(state, error, ran)
        return
    state.home.remember()
    if state.program is not None:
        state.program.remember()
    state.gate.send("E", errors.describe(error, state.text, state.file, ran))
    state.gate.send("T", notices.tables(state.names))
    _tell(state)


def _show_in_child(state: Run, error: BaseException, ran: bool) -> None:
    """A process the code forked ends as Python would end it: on stderr."""
    if not isinstance(error, SystemExit):
        text = errors.describe(error, state.text, state.file, ran)["traceback"]
        os.write(2, text.encode("utf-8", "backslashreplace"))


def wait_for_threads() -> None:
    """As the interpreter does at its end: threads and processes that are not daemons finish.

    Executors hear of the end first: the threads of one that nobody shut down
    wait for work for good otherwise.
    """
    try:
        for told in reversed(_at_end):
            told()
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
