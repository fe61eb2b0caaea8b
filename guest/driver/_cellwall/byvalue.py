"""Pickling what cells made: functions as their code, modules by name, and classes by the name that their source gives.

Pickle itself takes a function or class by reference to its module, and the
module of cells is not there where this is read.
"""

from __future__ import annotations

import functools
import importlib
import io
import marshal
import os
import pickle
import sys
from collections.abc import Callable
from types import CellType, FunctionType, ModuleType
from typing import Any

_MAIN = "__main__"
_of = type.__getattribute__
_Cache = type(functools.lru_cache(lambda: None))


_FILES: dict[type, tuple[str, int]] = {  # how one is opened
    io.TextIOWrapper: ("r", -1),
    io.BufferedReader: ("rb", -1),
    io.BufferedWriter: ("wb", -1),
    io.BufferedRandom: ("r+b", -1),
    io.FileIO: ("rb", 0),
}


class Pickler(pickle.Pickler):
    """Writes values of a session; names are those of its module."""

    def __init__(self, file: Any, names: dict[str, Any]) -> None:
        super().__init__(file, 5)
        self._names = names
        self.classes: dict[type, None] = {}  # of cells, that were met

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind is FunctionType and value.__globals__ is self._names:
            return _take_apart(value)
        if kind is ModuleType:
            name = str(vars(value).get("__name__"))
            if sys.modules.get(name) is not value:
                raise pickle.PicklingError("a module that no file holds")
            return importlib.import_module, (name,)
        if kind is _Cache and getattr(value, "__module__", None) == _MAIN:
            return _cached, (value.__wrapped__, value.cache_parameters())
        if kind in _FILES and value.closed:
            return _closed, (kind.__name__,)
        if issubclass(kind, type) and _of(value, "__module__") == _MAIN:
            self.classes[value] = None
        elif kind.__module__ == "typing" and getattr(value, "__module__", None) == _MAIN:
            raise pickle.PicklingError("it is known by its name only")
        return NotImplemented


def _take_apart(function: FunctionType) -> tuple[Any, ...]:
    cells = function.__closure__ or ()
    made = (marshal.dumps(function.__code__), function.__name__, len(cells))
    held = {
        "qualname": function.__qualname__,
        "module": function.__module__,
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        "annotations": function.__annotations__,
        "doc": function.__doc__,
        "attributes": function.__dict__,
        "cells": [_content(cell) for cell in cells],
    }
    return _function, made, held, None, None, _fill


def _content(cell: CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # not filled yet
        return ()


def _function(code: bytes, name: str, cells: int) -> FunctionType:
    names = vars(sys.modules[_MAIN])
    return FunctionType(marshal.loads(code), names, name, None, tuple(CellType() for _ in range(cells)) or None)


def _fill(function: FunctionType, held: dict[str, Any]) -> None:
    """What may lead back to the function itself."""
    function.__qualname__, function.__module__ = held["qualname"], held["module"]
    function.__defaults__, function.__kwdefaults__ = held["defaults"], held["keywords"]
    function.__annotations__, function.__doc__ = held["annotations"], held["doc"]
    function.__dict__.update(held["attributes"])
    for cell, content in zip(function.__closure__ or (), held["cells"], strict=True):
        if content:
            (cell.cell_contents,) = content


def _closed(kind: str) -> Any:
    """What `with open(…) as f` leaves."""
    mode, buffering = next(how for known, how in _FILES.items() if known.__name__ == kind)
    with open(os.devnull, mode, buffering) as file:
        return file


def _cached(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


class _Nowhere(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data) if isinstance(data, (bytes, bytearray)) else memoryview(data).nbytes


_FIXED = (str, bytes, tuple, frozenset, int, float, complex, type, ModuleType)


def tried(value: Any, names: dict[str, Any], most: int) -> tuple[dict[type, None], frozenset[int], bool]:
    """Pickles a value into nothing; raises what pickling raises.

    Returns the classes of cells that it needs and the identities of what in it
    can be changed; the last says that there are more than most of these.
    """
    pickler = Pickler(_Nowhere(), names)
    pickler.dump(value)
    met: dict[int, tuple[int, Any]] = pickler.memo.copy()
    if len(met) > most:
        return pickler.classes, frozenset(), True
    return pickler.classes, frozenset(id(v) for _, v in met.values() if not isinstance(v, _FIXED)), False
