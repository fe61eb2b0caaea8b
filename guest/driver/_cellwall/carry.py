"""The state of a session, packed for another sandbox: what cannot go along is named, never silently left out.

Each value is tried by itself. Those that share something that can be changed are
then written together, so that they share it there too, and arrive together or
not at all.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib._pylab_helpers import Gcf

from . import byvalue, classes, execution, luggage, options, values
from .freight import Sender
from .history import History

NAMES = 2_000  # bytes of the names in a notice
MANY = 200_000  # objects of one value: it counts as sharing with everybody
STANDARD = ("__builtins__", "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__file__")
UNDERSCORES = ("In", "Out", "_", "__", "___", "_i", "_ii", "_iii")
_SCALARS = (str, bytes, int, float, bool, complex, type(None))
_NUMBERS = "biufcmM"

Key = tuple[str, str]  # a kind of place, and a name or number in it
Notice = dict[str, Any]


@dataclass
class State:
    """What there is to carry."""

    names: dict[str, Any]
    given: dict[str, Any]  # of the names, those that no cell made
    history: History
    builtins: dict[str, Any]
    loaded: Any
    lost: list[str] = field(default_factory=list)  # what stays behind, each with what it is

    def lose(self, key: Key, kind: str) -> None:
        """Notes what cannot go along."""
        place, name = key
        shown = {"name": name, "out": f"Out[{name}]", "builtin": f"builtins.{name}"}
        self.lost.append(f"{shown.get(place, f'{place} {name}'.strip())} ({kind})")


@dataclass
class _Piece:
    key: Key
    value: Any
    needs: dict[type, None] = field(default_factory=dict)  # classes of cells
    shares: frozenset[int] = frozenset()  # identities of what can be changed
    many: bool = False


def pack(state: State, fd: int) -> list[Notice]:
    """Writes the state; returns what is not in it."""
    sender = Sender(fd)
    files = luggage.pack(sender, execution.OUTPUT)
    pieces = [piece for key, value in _all(state) if (piece := _tried(state, key, value)) is not None]
    sender.section({"kind": "plain"}, lambda file: pickle.dump(_plain(state, pieces), file, 5))
    together = _together(pieces)
    for later in (False, True):  # classes are made in between
        for group in together:
            if any(piece.needs for piece in group) is later:
                _write(state, sender, group)
        if not later:
            sender.section({"kind": "classes"}, lambda file: None)
    sender.end()
    return [*notice("lost_variables", state.lost), *notice("lost_files", files)]


def notice(code: str, names: list[str]) -> list[Notice]:
    """One notice, or none when there is nothing."""
    if not names:
        return []
    return [{"code": code, "args": {"count": str(len(names)), "names": values.cut(", ".join(names), NAMES)}}]


def _all(state: State) -> Iterable[tuple[Key, Any]]:
    """Everything that is pickled, by where it goes."""
    for name, value in list(state.names.items()):
        if type(name) is str and name not in STANDARD and name not in UNDERSCORES:
            yield ("name", name), value
    yield ("inputs", ""), state.loaded
    for count, value in list(state.history.outputs().items()):
        yield ("out", str(count)), value
    for name, value in state.builtins.items():
        yield ("builtin", name), value
    for name, value in options.changed().items():
        yield ("option", name), value
    for manager in Gcf.get_all_fig_managers():
        yield ("figure", str(manager.num)), manager.canvas.figure


def _tried(state: State, key: Key, value: Any) -> _Piece | None:
    """A value that can go along; else it is noted."""
    kind = type(value)
    if kind in _SCALARS:
        return _Piece(key, value)
    if _only_numbers(value):
        return _Piece(key, value, shares=frozenset((id(value),)))
    try:
        needs, shares, many = byvalue.tried(value, state.names, MANY)
        return _Piece(key, value, needs, shares, many)
    except Exception:
        state.lose(key, values.name_of(kind))
        return None


def _only_numbers(value: Any) -> bool:
    """Whether to try is not worth its time: pickle copies what is in there."""
    try:
        if type(value) is np.ndarray:
            return value.dtype.kind in _NUMBERS
        if type(value) is pd.DataFrame:
            return not value.attrs and all(type(d) is pd.StringDtype or d.kind in _NUMBERS for d in value.dtypes)
    except Exception:  # spoilt
        pass
    return False


def _together(pieces: list[_Piece]) -> list[list[_Piece]]:
    """The pieces by what they share, in the order in which they came."""
    leaders = list(range(len(pieces)))

    def leader(number: int) -> int:
        while leaders[number] != number:
            number = leaders[number] = leaders[leaders[number]]
        return number

    first: dict[int, int] = {}
    for number, piece in enumerate(pieces):
        for shared in piece.shares:
            leaders[leader(number)] = leader(first.setdefault(shared, number))
    many = [number for number, piece in enumerate(pieces) if piece.many]
    for number in range(len(pieces)) if many else ():
        if pieces[number].shares or pieces[number].many:
            leaders[leader(number)] = leader(many[0])
    groups: dict[int, list[_Piece]] = {}
    for number, piece in enumerate(pieces):
        groups.setdefault(leader(number), []).append(piece)
    return list(groups.values())


def _write(state: State, sender: Sender, group: list[_Piece]) -> None:
    kinds = [values.name_of(type(piece.value)) for piece in group]
    said = {"kind": "values", "keys": [piece.key for piece in group], "types": kinds}
    try:
        sender.section(said, lambda file: byvalue.Pickler(file, state.names).dump([p.value for p in group]))
    except OSError:
        raise
    except Exception:  # what went well a moment ago: code of a cell
        for piece, kind in zip(group, kinds, strict=True):
            state.lose(piece.key, kind)


def _plain(state: State, pieces: list[_Piece]) -> dict[str, Any]:
    """What is made of plain values alone."""
    met = {need: None for piece in pieces for need in piece.needs}
    made = []
    for value in met:
        try:
            made.append(classes.describe(value))
        except classes.Sourceless:
            continue  # what needs it does not arrive, and is told
    made.sort(key=lambda said: (state.history.place(said["file"]), said["line"]))
    return {
        "order": [name for name in state.names if type(name) is str],
        "given": list(state.given),
        "history": state.history.packed(),
        "classes": made,
        "process": options.process(),
    }
