"""Values of a program as the arguments of a call, and the table that an answer brings."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from typing import Any

import numpy as np
import pandas as pd

from . import values
from .callwords import ToolArguments, ToolError

DEPTH = 24

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
_INTEGERS = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def arguments(name: str, fields: list[str], given: tuple[Any, ...], named: dict[str, Any], most: int) -> dict[str, Any]:
    """The arguments by name, as plain JSON. Raises ToolArguments."""
    if len(given) > len(fields):
        raise ToolArguments(f"tools.{name} takes {len(fields)} arguments, not {len(given)}: pass them by name", name)
    made = dict(zip(fields, given, strict=False))
    for twice in made.keys() & named.keys():
        raise ToolArguments(f"tools.{name} was given {twice!r} twice", name)
    made.update(named)
    try:
        plain = {key: _plain(value, key, 0) for key, value in made.items()}
        size = len(_encode(plain))
    except ToolArguments as wrong:
        raise ToolArguments(f"tools.{name}: {wrong}", name) from None
    except (ValueError, RecursionError, OverflowError) as wrong:
        raise ToolArguments(f"tools.{name}: the arguments cannot be written as JSON: {wrong}", name) from None
    if size > most:
        raise ToolArguments(f"tools.{name}: the arguments have {size:,} bytes as JSON, at most {most:,} fit", name)
    return plain


def _plain(value: Any, at: str, depth: int) -> Any:
    """A value as JSON says it; one that JSON cannot say is named."""
    kind = type(value)
    if kind in (bool, int, type(None)):
        return value
    if kind is str:
        return values.utf8(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ToolArguments(f"{at} is {value}, which JSON has no number for")
        return float(value)
    if depth >= DEPTH:
        raise ToolArguments(f"{at} is nested deeper than {DEPTH}")
    if isinstance(value, dict):
        return {_key(key, at): _plain(item, f"{at}[{key!r}]", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, at, depth + 1) for item in value]
    if isinstance(value, pd.DataFrame):
        return [_row(row, at, depth) for row in value.to_dict("records")]
    if isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        return [_missing(item, at, depth + 1) for item in value.tolist()]
    return _scalar(value, at, depth)


def _row(row: dict[Any, Any], at: str, depth: int) -> dict[str, Any]:
    return {str(key): _missing(item, at, depth + 2) for key, item in row.items()}


def _missing(value: Any, at: str, depth: int) -> Any:
    """A cell of a table, where what is not a number is missing."""
    return None if isinstance(value, float) and math.isnan(value) else _plain(value, at, depth)


def _key(key: Any, at: str) -> str:
    if not isinstance(key, (str, int, float, bool)):
        raise ToolArguments(f"{at} has a key of type {values.name_of(type(key))}; keys are text")
    return values.utf8(str(key))


def _scalar(value: Any, at: str, depth: int) -> Any:
    if value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, pd.Timedelta, pd.Period)):
        return str(value)
    if isinstance(value, np.generic):
        inner = value.item()
        if type(inner) is not type(value):
            return _plain(inner, at, depth + 1)
    raise ToolArguments(
        f"{at} is of type {values.name_of(type(value))}, which cannot be passed: "
        "text, numbers, True, False, None, dates, lists, dicts and tables can"
    )


def table(said: Any) -> pd.DataFrame:
    """The DataFrame of an answer's columns. Raises ToolError when they are none."""
    try:
        columns = [(str(one["name"]), _column(one["values"], one.get("dtype", ""))) for one in said["columns"]]
        frame = pd.concat([column for _, column in columns], axis=1) if columns else pd.DataFrame()
        frame.columns = pd.Index([name for name, _ in columns])
    except Exception as failure:
        raise ToolError(f"the tool answered with something that is no table: {failure}") from None
    return frame


def _column(cells: list[Any], dtype: str) -> pd.Series[Any]:
    if dtype.startswith("datetime64"):
        _, zoned, zone = dtype.rstrip("]").partition(", ")
        times = pd.to_datetime(pd.Series(cells, dtype="object"), format="ISO8601", utc=bool(zoned))
        return times.dt.tz_convert(zone) if zoned else times.astype(dtype)
    if dtype.startswith("timedelta64"):
        return pd.to_timedelta(pd.Series(cells, dtype="object")).astype(dtype)
    if dtype in _INTEGERS:
        return pd.Series(cells, dtype=dtype if None not in cells else "Int64")
    if dtype in ("float32", "float64"):
        return pd.Series([math.nan if cell is None else cell for cell in cells], dtype=dtype)
    if dtype == "bool" and None not in cells:
        return pd.Series(cells, dtype="bool")
    return pd.Series(cells, dtype="object") if dtype == "object" else pd.Series(cells)
