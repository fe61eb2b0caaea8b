"""IPython's shell core without its machinery: no history, no kernel, no files.

Code imports IPython.display and sometimes asks get_ipython(); both need an
InteractiveShell to exist. This one is a subclass whose set-up does nothing but
name a formatter and a publisher of ours, and the magics that make sense in a
single run. Cells are run by program, not by run_cell.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

from IPython.core.events import EventManager, available_events
from IPython.core.inputtransformer2 import TransformerManager, classic_prompt, ipython_prompt
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Configurable

HARMLESS = frozenset(
    "autocall autoindent automagic autoreload autosave colors config load_ext matplotlib precision pylab "
    "reload_ext unload_ext xmode".split()
)
# What does in Python what a notebook command does; braces take what follows it.
INSTEAD = {
    "pinfo": "write help({})", "pinfo2": "write print(inspect.getsource({}))", "psearch": "write dir()",
    "who": "write print(list(globals()))", "who_ls": "write list(globals())", "whos": "write print(list(globals()))",
    "cd": "write os.chdir(path)", "pwd": "write os.getcwd()", "ls": "write os.listdir()", "ll": "write os.listdir()",
    "cat": "write print(open(path).read())", "mkdir": "write os.makedirs(path)", "env": "write os.environ",
    "run": "put the code of that file into the program", "load": "put the code of that file into the program",
    "prun": "write cProfile.run(code)",
}  # fmt: skip
TIMERS = frozenset(("time", "timeit"))


class NotAvailable(RuntimeError):
    """Something a notebook has and this sandbox has not."""


class Formatter:
    """What display() asks for the representations of an object."""

    def __init__(self, bundle: Callable[[Any], dict[str, Any]]) -> None:
        self._bundle = bundle

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        data = self._bundle(obj)
        if include:
            data = {kind: data[kind] for kind in data if kind in include}
        return {kind: data[kind] for kind in data if kind not in (exclude or ())}, {}


class Outlet:
    """Where display() sends what it formatted."""

    def __init__(self) -> None:
        self.sink: Callable[[dict[str, Any]], None] | None = None

    def publish(self, data: dict[str, Any], metadata: Any = None, **_: Any) -> None:
        if self.sink is not None and data:
            self.sink(data)

    def clear_output(self, wait: bool = False) -> None:
        """What was sent stays sent."""


class Core(InteractiveShell):
    """The one shell of the process; see the module."""

    display_formatter = None
    display_pub = None  # type: ignore[assignment]
    events = None  # type: ignore[assignment]

    def __init__(self, bundle: Callable[[Any], dict[str, Any]]) -> None:
        Configurable.__init__(self)
        self.display_formatter = Formatter(bundle)
        self.display_pub = Outlet()
        self.events = EventManager(self, available_events)
        self.run_timed: Callable[[str], Any] = nothing
        self.ignored: Callable[[str], None] = nothing

    def enable_gui(self, gui: Any = None) -> None:
        """There is no window system."""

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        if magic_name in HARMLESS:
            self.ignored(f"%{magic_name} {line}".strip())
            return None
        if magic_name in TIMERS:
            return timed(lambda: self.run_timed(line))
        if magic_name in ("pip", "conda", "mamba", "uv"):
            self._no_install(magic_name)
        asked = line.strip()
        marks = {"pinfo": f"{asked}?", "pinfo2": f"{asked}??", "psearch": f"{asked}?"}
        command = marks.get(magic_name, f"%{magic_name}")
        self._refuse(f"the notebook command {command[:100]}", INSTEAD.get(magic_name, "").format(asked[:100]))

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        self._refuse(f"the notebook command %%{magic_name}")

    def system(self, cmd: str) -> NoReturn:
        words = cmd.split()
        if any(word in ("install", "pip", "pip3", "conda", "apt", "apt-get", "uv") for word in words[:4]):
            self._no_install(words[0])
        self._refuse(f"running a shell command (!{cmd[:100]})")

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> NoReturn:
        self.system(cmd)

    def _no_install(self, what: str) -> NoReturn:
        raise NotAvailable(
            f"{what} is not available: nothing can be installed in this sandbox. Installed: {installed()}"
        )

    def _refuse(self, what: str, instead: str = "") -> NoReturn:
        raise NotAvailable(f"{what} is not available in this sandbox" + (f": {instead}" if instead else ""))


NotAvailable.__module__ = "builtins"  # shown by its plain name


def nothing(*_: Any) -> None:
    """Does nothing, whatever it is given."""
    return None


def timed(run: Callable[[], Any]) -> Any:
    """Runs and prints how long that took, as %time does."""
    cpu, wall = time.process_time(), time.perf_counter()
    value = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"CPU times: total: {_seconds(cpu)}\nWall time: {_seconds(wall)}")
    return value


def _seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("μs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def build(bundle: Callable[[Any], dict[str, Any]]) -> Core:
    """The shell, made known to IPython."""
    core = Core(bundle)
    InteractiveShell._instance = core  # type: ignore[assignment]
    return core


def installed() -> str:
    """Names and versions of the installed packages, as their folders say."""
    found: set[str] = set()
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            continue
        for entry in entries:
            if entry.endswith(".dist-info"):
                name, _, version = entry.removesuffix(".dist-info").partition("-")
                found.add(f"{name} {version}")
    return ", ".join(sorted(found, key=str.casefold))[:1500]


def transform(text: str) -> str:
    """Notebook syntax (%magic, !cmd, x = !cmd, help?) as calls of the shell, line for line."""
    manager = TransformerManager()  # type: ignore[no-untyped-call]
    manager.cleanup_transforms = [classic_prompt, ipython_prompt]
    return manager.transform_cell(text)
