"""The values of mixed columns, as text with a letter for their type, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from .layout import UNITS, Unfit, zone_named, zone_said

NESTED = "j"  # the letter of what can be changed, which no two rows may share


def _moment(value: Any) -> str:
    if value.fold:
        raise Unfit("a time is told twice by its clock")
    zone = zone_said(value.tzinfo) if value.tzinfo else ""
    return f"{value.replace(tzinfo=None).isoformat()}|{zone}"


def _stamp(value: pd.Timestamp) -> str:
    zone = zone_said(value.tzinfo) if value.tzinfo else ""
    return f"{value.unit}|{value.asm8.astype('i8')}|{zone}"


_WRITE: dict[type, tuple[str, Callable[[Any], str]]] = {
    str: ("s", str),
    int: ("i", str),
    float: ("f", repr),
    bool: ("b", str),
    type(None): ("n", lambda _: ""),
    Decimal: ("d", str),
    bytes: ("y", bytes.hex),
    date: ("D", date.isoformat),
    datetime: ("T", _moment),
    time: ("t", _moment),
    timedelta: ("e", lambda v: f"{v.days} {v.seconds} {v.microseconds}"),
    pd.Timestamp: ("P", _stamp),
    type(pd.NaT): ("N", lambda _: ""),
    type(pd.NA): ("A", lambda _: ""),
}


def said(cell: Any) -> str:
    """A value as text. Raises Unfit."""
    known = _WRITE.get(type(cell))
    if known:
        return known[0] + known[1](cell)
    return NESTED + json.dumps(_tree(cell))


def _tree(cell: Any) -> Any:
    if type(cell) is list:
        return [_tree(part) for part in cell]
    if type(cell) is tuple:
        return {"t": [_tree(part) for part in cell]}
    if type(cell) is dict:
        return {"k": [_tree(part) for part in cell], "v": [_tree(part) for part in cell.values()]}
    if type(cell) in _WRITE:
        return said(cell)
    raise Unfit(f"a column holds values of type {type(cell).__name__}")


def _named_moment(text: str, kind: Any) -> Any:
    moment, _, zone = text.partition("|")
    return kind.fromisoformat(moment).replace(tzinfo=zone_named(zone) if zone else None)


def _named_stamp(text: str) -> pd.Timestamp:
    unit, value, zone = text.split("|", 2)
    if unit not in UNITS:
        raise Unfit("a time has another unit")
    stamp = pd.Timestamp(np.int64(int(value)).astype(f"M8[{unit}]"))
    return stamp.tz_localize("UTC").tz_convert(zone_named(zone)) if zone else stamp


def _truth(text: str) -> bool:
    if text not in ("True", "False"):
        raise Unfit("a value is neither true nor false")
    return text == "True"


_READ: dict[str, Callable[[str], Any]] = {
    "s": str,
    "i": int,
    "f": lambda text: np.nan if text == "nan" else float(text),
    "b": _truth,
    "n": lambda _: None,
    "d": Decimal,
    "y": bytes.fromhex,
    "D": date.fromisoformat,
    "T": lambda text: _named_moment(text, datetime),
    "t": lambda text: _named_moment(text, time),
    "e": lambda text: timedelta(*map(int, text.split(" ", 2))),
    "P": _named_stamp,
    "N": lambda _: pd.NaT,
    "A": lambda _: pd.NA,
    NESTED: lambda text: _grown(json.loads(text)),
}


def value(text: str) -> Any:
    """The value that was said. Raises Unfit, ValueError and its kind."""
    how = _READ.get(text[:1])
    if how is None:
        raise Unfit("a value has no type")
    return how(text[1:])


def _grown(tree: Any) -> Any:
    if type(tree) is list:
        return [_grown(part) for part in tree]
    if type(tree) is str and not tree.startswith(NESTED):
        return value(tree)
    if type(tree) is dict and tree.keys() == {"t"}:
        return tuple(_grown(part) for part in tree["t"])
    if type(tree) is dict and tree.keys() == {"k", "v"} and len(tree["k"]) == len(tree["v"]):
        return dict(zip(map(_grown, tree["k"]), map(_grown, tree["v"]), strict=True))
    raise Unfit("a value has another shape")
