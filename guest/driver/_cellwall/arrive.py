"""A state that pack() wrote, made the state of this session.

It is the work of cells: it may be damaged, and to read it may run their code.
"""

from __future__ import annotations

import pickle
from typing import Any

import matplotlib.pyplot as plt

from . import classes, execution, luggage, options
from .carry import Notice, State, notice
from .freight import Damaged, GivenUp, Receiver


def unpack(state: State, fd: int) -> list[Notice]:
    """Makes the state; returns what did not arrive. Raises freight.Damaged."""
    arriving = _Arriving(state)
    for said, body in Receiver(fd).sections():
        arriving.take(said, body)
    return arriving.settle()


class _Arriving:
    def __init__(self, state: State) -> None:
        self._state = state
        self._plain: dict[str, Any] = {}
        self._found: dict[str, Any] = {}
        self._outputs: dict[int, Any] = {}
        self._files: list[str] = []

    def take(self, said: dict[str, Any], body: Any) -> None:
        """Takes one section."""
        kind = said.get("kind")
        if kind == "files":
            self._files = luggage.unpack(body, execution.OUTPUT)
        elif kind == "plain":
            self._plain = pickle.load(body)
            options.settle(self._plain["process"], lambda name: self._state.lose(("setting", name), "cannot be set"))
            self._state.history.unpack(self._plain["history"])
        elif kind == "classes":
            for one in self._plain["classes"]:
                self._make(one)
        elif kind == "values":
            self._values(said, body)

    def _make(self, said: dict[str, Any]) -> None:
        try:
            classes.make(said, self._state.history.files(), self._state.names)
        except BaseException as error:  # code of a cell
            self._state.lose(("class", said["name"]), type(error).__name__)

    def _values(self, said: dict[str, Any], body: Any) -> None:
        keys = [tuple(key) for key in said["keys"]]
        try:
            for key, value in zip(keys, pickle.load(body), strict=True):
                self._place(key, value)
        except (Damaged, MemoryError):
            raise
        except (Exception, GivenUp):  # whatever code of a cell raises
            for key, kind in zip(keys, said["types"], strict=True):
                self._state.lose(key, kind)

    def _place(self, key: tuple[str, str], value: Any) -> None:
        kind, name = key
        if kind == "name":
            self._found[name] = self._state.names[name] = value
        elif kind == "out":
            self._outputs[int(name)] = value
        elif kind == "builtin":
            self._state.builtins[name] = value
        elif kind == "option":
            options.change(name, value)
        elif kind == "inputs":
            self._state.loaded = value
        elif kind == "figure" and not plt.fignum_exists(int(name)):
            raise Damaged("a figure is open and not there")

    def settle(self) -> list[Notice]:
        """Puts the names in their order, and forgets those that the other session does not have."""
        if not self._plain:
            raise Damaged("it has no history")
        names, order = self._state.names, self._plain["order"]
        for name in list(names):
            if name not in order and not name.startswith("__"):
                del names[name]
        for name in order:
            if name in self._found:
                names[name] = names.pop(name)
        self._state.history.unpack_outputs(self._outputs)
        self._state.given = {name: names[name] for name in self._plain["given"] if name in names}
        return [*notice("lost_variables", self._state.lost), *notice("lost_files", self._files)]
