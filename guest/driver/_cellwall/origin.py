"""Where classes of a session come from: inspect asks their module, which has many files."""

from __future__ import annotations

import functools
import inspect
import linecache
import weakref
from collections.abc import Iterable
from typing import Any

_DEPTH = 3  # classes in classes
_files: dict[int, tuple[weakref.ref[type], str]] = {}  # by identity: a metaclass may have an equality of its own
_of = type.__getattribute__


def install() -> None:
    """Has inspect ask here first."""
    plain = inspect.getfile

    @functools.wraps(plain)
    def getfile(object: Any) -> str:
        return (_file(object) if isinstance(object, type) else None) or plain(object)

    inspect.getfile = getfile


def learn(values: Iterable[Any], file: str, depth: int = _DEPTH) -> None:
    """Notes that the classes among values that are not known yet come from file."""
    for value in values:
        if issubclass(type(value), type) and _of(value, "__module__") == "__main__" and _known(value) is None:
            _files[id(value)] = weakref.ref(value, functools.partial(_forget, id(value))), file
            if depth:
                learn(list(_of(value, "__dict__").values()), file, depth - 1)


def _forget(number: int, _: Any) -> None:
    _files.pop(number, None)


def _known(value: type) -> str | None:
    entry = _files.get(id(value))
    return entry[1] if entry is not None and entry[0]() is value else None


def _file(value: type) -> str | None:
    """The cell of a class: as noted, or that of its methods."""
    if _of(value, "__module__") != "__main__":
        return None
    found = _known(value)
    if found is not None:
        return found
    for member in _of(value, "__dict__").values():
        code = getattr(member, "__code__", None)
        file = getattr(code, "co_filename", "")
        if file in linecache.cache and file.startswith("<"):
            return str(file)
    return None
