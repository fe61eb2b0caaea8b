"""What the host asks about a session's names between cells: J frames.

No code of a cell runs for an answer. Types are read where the interpreter keeps
them, shapes of exact types only, attributes without descriptors.
"""

from __future__ import annotations

import builtins
import keyword
import os
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from IPython.core.inputtransformer2 import TransformerManager

from . import outline, values

VARIABLES = 1_000  # the protocol ends a session at more
MATCHES = 200

_name = type.__dict__["__name__"].__get__
_of, _class_of = object.__getattribute__, type.__getattribute__
_SIZED = (list, dict, tuple, set, frozenset, deque, Counter, OrderedDict, defaultdict, range)
_PLAIN = (*_SIZED, str, bytes, bytearray, int, float, complex, bool, type(None))
_TABLES = (pd.DataFrame, pd.Series, pd.Index, np.ndarray)  # whose own attributes are not a cell's code
_HIDDEN = ("In", "Out")
_DOTTED = re.compile(r"(?:([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.)?([A-Za-z_]\w*)?\Z")
_KEY = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\[\s*(['\"])([^'\"\\\n]*)\Z")
_IMPORT = re.compile(r"(?:\A|[\n;])\s*(?:import|from)\s+([A-Za-z_]\w*)?\Z")
_MEMBER = re.compile(r"(?:\A|[\n;])\s*from\s+([\w.]+)\s+import\s+(?:[\w\s,]*[\s,])?([A-Za-z_]\w*)?\Z")


def answer(question: dict[str, Any], names: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The fields of an answer. given are names that no cell made."""
    said = {"variables": [], "matches": [], "start": 0, "end": 0, "finished": False, "indent": ""}
    kind, text = question["kind"], question["text"]
    try:
        if kind == "variables":
            said["variables"] = variables(names, given)
        elif kind == "complete":
            said["matches"], said["start"], said["end"] = complete(text[: question["cursor"]], names)
        elif kind == "finished":
            said["finished"], said["indent"] = finished(text)
        elif kind == "outline":
            said["outline"] = outline.outline(text)
        elif kind == "parses":
            said["finished"] = outline.parses(text)
    except BaseException:  # whatever a cell left there: no answer is an answer
        pass
    return said


def variables(names: dict[str, Any], given: dict[str, Any]) -> list[dict[str, Any]]:
    """The names that cells made, in the order of their birth."""
    found = []
    for name, value in list(names.items()):
        if type(name) is not str or name.startswith("_") or name in _HIDDEN or isinstance(value, ModuleType):
            continue
        if name not in given or given[name] is not value:
            found.append(_variable(name, value))
    return found[-VARIABLES:]


def _variable(name: str, value: Any) -> dict[str, Any]:
    shape, space = "", 0
    try:
        shape, space = _shape(value), size(value)
    except Exception:  # half made, or spoilt
        pass
    return {"name": values.cut(name, 100), "type": values.cut(_name(type(value)), 100), "shape": shape, "bytes": space}


def _shape(value: Any) -> str:
    kind = type(value)
    if kind in _TABLES:
        return " × ".join(f"{size:,}" for size in value.shape)
    return f"{len(value):,}" if kind in _SIZED else ""


def size(value: Any) -> int:
    """The bytes of a value whose type is known; 0 for any other."""
    kind = type(value)
    if kind is pd.DataFrame:
        return int(value.memory_usage(deep=False).sum())
    if kind in _TABLES:
        return int(value.nbytes)
    return sys.getsizeof(value) if kind in _PLAIN else 0


def complete(text: str, names: dict[str, Any]) -> tuple[list[str], int, int]:
    """How the end of text may go on: matches, and the characters that they replace."""
    end = len(text)
    if found := _KEY.search(text):
        target, quote, begun = found.groups()
        keys = _keys(_resolve(target, names))
        return _matches((key + quote + "]" for key in keys), begun), end - len(begun), end
    if found := _IMPORT.search(text):
        begun = found[1] or ""
        return _matches(_modules(), begun), end - len(begun), end
    if found := _MEMBER.search(text):
        begun = found[2] or ""
        return _matches(_attributes(sys.modules.get(found[1])), begun), end - len(begun), end
    found = _DOTTED.search(text)
    if found is None or not (found[1] or found[2]):
        return [], end, end
    target, begun = found[1], found[2] or ""
    if target is None:
        known: Iterable[Any] = (*names, *vars(builtins), *keyword.kwlist)
    else:
        known = _attributes(_resolve(target, names))
    return _matches(known, begun), end - len(begun), end


def _matches(known: Iterable[Any], begun: str) -> list[str]:
    hidden = not begun.startswith("_")
    fitting = {k for k in known if type(k) is str and k.startswith(begun) and not (hidden and k.startswith("_"))}
    return [values.utf8(match) for match in sorted(fitting, key=str.casefold)[:MATCHES]]


_nothing = object()


def _resolve(path: str, names: dict[str, Any]) -> Any:
    """The value of a dotted name, as far as it can be had without running code."""
    first, *rest = path.split(".")
    value = names.get(first, vars(builtins).get(first, _nothing))
    for part in rest:
        if type(value) in _TABLES:
            value = getattr(value, part, _nothing)
            continue
        value = next((place[part] for place in _places(value) if part in place), _nothing)
        if type(value) is property:
            return _nothing
    return value


def _places(value: Any) -> Iterable[dict[str, Any]]:
    """The dictionaries in which attributes of a value are looked up."""
    kind = type(value)
    if value is _nothing:
        return
    if issubclass(kind, type):
        for base in _class_of(value, "__mro__"):
            yield _class_of(base, "__dict__")
        return
    try:
        yield _of(value, "__dict__")
    except AttributeError:
        pass
    for base in _class_of(kind, "__mro__"):
        yield _class_of(base, "__dict__")


def _attributes(value: Any) -> Iterable[Any]:
    for place in _places(value):
        yield from list(place)
    if type(value) is pd.DataFrame:
        yield from (column for column in value.columns if type(column) is str and column.isidentifier())


def _keys(value: Any) -> Iterable[str]:
    if type(value) is pd.DataFrame:
        return [key for key in value.columns if type(key) is str]
    return [key for key in value if type(key) is str] if type(value) in (dict, OrderedDict, defaultdict) else []


def _modules() -> Iterable[str]:
    """Names of modules that can be imported, as their folders say."""
    yield from sys.builtin_module_names
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            continue
        for entry in entries:
            stem, dot, ending = entry.partition(".")
            if stem.isidentifier() and (not dot or ending == "py" or ending.endswith(".so")):
                yield stem


def finished(text: str) -> tuple[bool, str]:
    """Whether text is a whole cell, and else the indentation of its next line."""
    status, indent = TransformerManager().check_complete(text)  # type: ignore[no-untyped-call]
    return status != "incomplete", " " * (indent or 0)
