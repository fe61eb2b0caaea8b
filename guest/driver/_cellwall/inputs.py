"""The uploaded files as df and dfs, and as the descriptions that are told."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from . import values

INPUT = "/workspace/input"


@dataclass
class Loaded:
    """Every table of every input, by key, and how each file was read."""

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    first: pd.DataFrame | None = None
    descriptions: list[dict[str, Any]] = field(default_factory=list)
    large: dict[str, Any] = field(default_factory=dict)  # lean.Large by key, whose frames have no rows


prepared: Loaded | None = None  # what the zygote of a template has parsed ahead


def load(run: dict[str, Any], send: Callable[[str, Any], None]) -> Loaded | None:
    """Reads the inputs and sends D; None when one cannot be read, E then sent."""
    if prepared is not None:
        send("D", prepared.descriptions)
        return prepared
    from . import tables

    loaded = Loaded()
    names = run.get("inputs") or []
    for position, name in enumerate(names):
        path = os.path.join(INPUT, name)
        if run.get("own") and _large(loaded, path, name, position == 0):
            continue
        try:
            given = tables.load(path, name, run.get("rows") or 10_000, run.get("sample") or "random")
        except tables.Unreadable as failure:
            _unreadable(name, str(failure), send)
            return None
        except Exception as failure:
            _unreadable(name, f"{values.name_of(type(failure))}: {failure}", send)
            return None
        loaded.descriptions.append(given.description)
        for key, frame in given.frames.items():
            loaded.frames[_free(key, loaded.frames)] = frame
            if position == 0 and (loaded.first is None or (not len(loaded.first) and len(frame))):
                loaded.first = frame
    if names and not loaded.large:  # of those nobody has looked at every column
        send("D", loaded.descriptions)
    return loaded


def _large(loaded: Loaded, path: str, name: str, first: bool) -> bool:
    """Takes a large file as one that is read when a program of ours says what it needs of it."""
    from .tables import lean

    large = lean.open_large(path, name, tempfile.gettempdir())
    if large is None:
        return False
    key = _free(large.stem, loaded.frames)
    loaded.frames[key], loaded.large[key] = large.none(), large
    if first:
        loaded.first = loaded.frames[key]
    return True


def export(loaded: Loaded, path: str, send: Callable[[str, Any], None]) -> bool:
    """Writes a template of what was loaded; False when it cannot be, E then sent."""
    from . import template

    try:
        template.write(loaded, path)
    except Exception as failure:
        why = str(failure) if isinstance(failure, template.Unfit) else f"{type(failure).__name__}: {failure}"
        _refuse("DatasetUnfit", "", why, send)
        return False
    return True


def _unreadable(name: str, why: str, send: Callable[[str, Any], None]) -> None:
    _refuse("DatasetUnreadable", name, why, send)


def _refuse(kind: str, name: str, why: str, send: Callable[[str, Any], None]) -> None:
    send(
        "E",
        {
            "type": kind,
            "message": values.cut(why, 2000),
            "line": 0,
            "traceback": "",
            "excerpt": "",
            "name": values.cut(name, 500),
        },
    )


def _free(key: str, taken: dict[str, Any]) -> str:
    """The key, or its twin: sales, sales_2; sales/Q1, sales_2/Q1."""
    if key not in taken:
        return key
    stem, slash, sheet = key.partition("/")
    number = 2
    while f"{stem}_{number}{slash}{sheet}" in taken:
        number += 1
    return f"{stem}_{number}{slash}{sheet}"


_WARM = "key,value,when\n" + "a,1.5,2024-01-02\nb,2.25,2024-01-03\n" * 20


def warm() -> None:
    """Reads a small file, so that readers are imported and built."""
    from . import tables

    tables.warm()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "warm.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_WARM)
        tables.load(path, "warm.csv", 10_000, "random")
