"""Bounds: hostile or huge values as short text and as strict JSON.

Nothing here fails on a value: what cannot be said is named instead. Time is
not bounded here; the run's deadline is.
"""

from __future__ import annotations

import binascii
import datetime
import decimal
import math
from collections.abc import Iterator
from typing import Any

TEXT_BYTES = 20_000  # of a value's text/plain
ITEMS = 500  # of a builtin container, shown
NODES = 50_000  # of a JSON value
DEPTH = 24  # of a JSON value; the protocol allows 64 for the whole frame
STRING = 20_000  # characters of a string in a JSON value

_SCALARS = (bool, type(None))
_BRACKETS: dict[Any, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def utf8(text: str) -> str:
    """The text, lone surrogates escaped, so that any encoder takes it."""
    text = str.__str__(text)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


def cut(text: str, limit: int) -> str:
    """The text in at most limit bytes of UTF-8, marked when cut."""
    text = utf8(text if len(text) <= limit else text[: limit + 1])
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text
    mark = " … (cut)"
    return data[: limit - len(mark) - 2].decode("utf-8", "ignore") + mark


def name_of(kind: type) -> str:
    """The name of a type as a traceback would print it."""
    try:
        name = type.__dict__["__qualname__"].__get__(kind)
        module = kind.__module__
    except BaseException:
        return "object"
    if not isinstance(module, str) or module in ("builtins", "__main__"):
        return utf8(name)[:200]
    return utf8(f"{module}.{name}")[:200]


interruptible = False  # of a session: SIGINT ends what a cell shows as well


def let_through(failure: BaseException) -> None:
    """Raises an interruption again, which may strike while a value is being asked for its looks."""
    if interruptible and type(failure) is KeyboardInterrupt:
        raise failure


def text(value: Any, limit: int = TEXT_BYTES) -> str:
    """repr(value), bounded; says so when the value's own repr fails."""
    try:
        return cut(_repr(value, [2 * ITEMS]), limit)
    except BaseException as failure:
        let_through(failure)
        return f"<{name_of(type(value))}: its repr raised {name_of(type(failure))}>"


def _repr(value: Any, budget: list[int]) -> str:
    kind = type(value)
    if kind is int:
        bits = value.bit_length()
        return repr(value) if bits < 13_000 else f"<int of about {int(bits * 0.30103) + 1} digits>"
    if kind is str or kind is bytes:
        return repr(value) if len(value) <= TEXT_BYTES else f"{value[: TEXT_BYTES // 4]!r}… ({len(value)} in all)"
    if kind is dict:
        rows = [f"{_repr(k, budget)}: {_repr(v, budget)}" for k, v in _first(value.items(), budget)]
        return "{" + _joined(rows, len(value)) + "}"
    if kind in _BRACKETS and len(value):
        opening, closing = _BRACKETS[kind]
        rows = [_repr(item, budget) for item in _first(value, budget)]
        comma = "," if kind is tuple and len(value) == 1 else ""
        return opening + _joined(rows, len(value)) + comma + closing
    shown = repr(value)
    return shown if type(shown) is str else str.__str__(shown)


def _first(items: Any, budget: list[int]) -> Iterator[Any]:
    """The first items, as many as the value may still show."""
    for item in items:
        budget[0] -= 1
        if budget[0] < 0:
            return
        yield item


def _joined(rows: list[str], total: int) -> str:
    if len(rows) < total:
        rows = [*rows, f"… ({total} in all)"]
    return ", ".join(rows)


class _Full(Exception):
    """The value holds more than NODES parts."""


def json(value: Any) -> Any:
    """The value as strict JSON data: no NaN, no surrogates, bounded in all ways."""
    budget = [NODES]
    try:
        return _json(value, 0, budget)
    except _Full:
        return {"error": f"result not serialisable: more than {NODES} parts"}
    except BaseException as failure:
        let_through(failure)
        return {"error": f"result not serialisable: {name_of(type(failure))}"}


def _json(value: Any, depth: int, budget: list[int]) -> Any:
    budget[0] -= 1
    if budget[0] < 0:
        raise _Full
    kind = type(value)
    if kind is str:
        return cut(value, STRING)
    if kind is dict and depth < DEPTH:
        return {cut(k if type(k) is str else text(k, 200), 500): _json(v, depth + 1, budget) for k, v in value.items()}
    if kind in _BRACKETS and depth < DEPTH:
        return [_json(item, depth + 1, budget) for item in value]
    return cell(value)


def cell(value: Any, limit: int = STRING) -> Any:
    """One scalar for JSON: numbers as numbers, missing as null, the rest as text."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is str:
        return cut(value, limit)
    if kind is int:
        return value if -(2**63) <= value < 2**64 else text(value, limit)
    if kind is float:
        return _float(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        shown = str(value)
        return None if shown == "NaT" else cut(shown, limit)
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else cut(str(value), limit)
    item = getattr(kind, "item", None)
    if kind.__module__ == "numpy" and item is not None and getattr(value, "ndim", 1) == 0:
        inner = item(value)
        return cell(inner, limit) if type(inner) is not kind else text(inner, limit)
    if isinstance(value, float):
        return _float(float(value))
    shown = str(value) if kind.__module__.startswith("pandas") else text(value, limit)
    return None if shown in ("NaT", "<NA>") else cut(shown, limit)


def _float(value: float) -> Any:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def binary(data: bytes) -> str:
    """Bytes as the base64 text that binary MIME types carry."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")
