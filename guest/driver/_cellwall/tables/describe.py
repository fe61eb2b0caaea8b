"""Puts into the description what the caller may know of a file's tables.

The description leaves the sandbox: it is bounded here, and the controller
bounds it again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from .. import facts
from .model import ALL, Parsed, Table
from .names import quoted

MAX_COLUMNS = 2_000
MAX_TABLES = 64
MAX_WARNINGS = 50
_EXAMPLES = 3
_LONGEST = 80
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def clean(value: object, longest: int = 400) -> str:
    """Gives one line of valid UTF-8."""
    text = value if isinstance(value, str) else str(value)
    text = _CONTROL.sub(" ", text[: longest + 1]).encode("utf-8", "replace").decode()
    return text if len(text) <= longest else text[: longest - 1] + "…"


def describe(parsed: Parsed, name: str, keys: list[str]) -> dict[str, object]:
    """The JSON of a Dataset; id, bytes and sha256 are filled in outside."""
    first = _first_with_rows(parsed.tables)
    main = parsed.tables[first]
    warnings = [clean(w) for w in dict.fromkeys(parsed.warnings)]
    described: dict[str, object] = {
        "id": "", "name": name, "bytes": 0, "sha256": "", "format": parsed.format,
        "encoding": parsed.encoding, "delimiter": parsed.delimiter, "decimal": parsed.decimal,
        "thousands": parsed.thousands, "sheets": [clean(s, 100) for s in parsed.sheets[:MAX_TABLES]],
        "header_row": main.header_row, "rows": main.rows, "rows_given": len(main.frame), "sample": main.sample,
        "columns": _columns(main, warnings),
    }  # fmt: skip
    others = [(k, t) for i, (k, t) in enumerate(zip(keys, parsed.tables, strict=True)) if i != first]
    if len(others) > MAX_TABLES:
        warnings.append(f"{len(others) - MAX_TABLES} more tables are in dfs and not described")
    described["tables"] = [
        {"name": clean(k, 300), "header_row": t.header_row, "rows": t.rows, "rows_given": len(t.frame),
         "columns": _columns(t, warnings)}
        for k, t in others[:MAX_TABLES]
    ]  # fmt: skip
    for key, table in [("", main), *others[:MAX_TABLES]]:
        if total := _total(table):
            label, column = total
            where = f"table {quoted(clean(key, 100))}: " if key else ""
            warnings.append(
                f"{where}row {quoted(clean(label, 100))} is the total of the others in column "
                f"{quoted(clean(column, 100))}: leave it out of sums"
            )
    if len(warnings) > MAX_WARNINGS:
        warnings[MAX_WARNINGS - 1 :] = [f"{len(warnings) - MAX_WARNINGS + 1} more warnings"]
    described["warnings"] = warnings
    return {k: v for k, v in described.items() if v not in ("", [], None) or k in _ALWAYS}


_ALWAYS = frozenset(("id", "name", "bytes", "sha256", "format", "rows", "rows_given", "sample", "columns"))


def _first_with_rows(tables: list[Table]) -> int:
    return next((i for i, t in enumerate(tables) if len(t.frame)), 0)


def _columns(table: Table, warnings: list[str]) -> list[dict[str, object]]:
    frame = table.frame
    if frame.shape[1] > MAX_COLUMNS:
        warnings.append(f"only {MAX_COLUMNS} of {frame.shape[1]} columns are described")
    out: list[dict[str, object]] = []
    columns = table.series.items() if table.series is not None else frame.items()
    for name, column in itertools.islice(columns, MAX_COLUMNS):
        one: dict[str, object] = {
            "name": clean(name, 200), "dtype": str(column.dtype)[:100], "missing": _missing(column),
            "examples": _examples(column.array[:20]),
        }  # fmt: skip
        if kind := table.kinds.get(name):
            one["kind"] = kind
        out.append(one)
    return out


def _total(table: Table) -> tuple[str, str] | None:
    """A row that is the total of the others. Few files have one: the label is looked
    for where it would stand before anything is added up."""
    if table.sample != ALL:
        return None
    columns = table.series.items() if table.series is not None else table.frame.items()
    for _, column in itertools.islice(columns, MAX_COLUMNS):
        if column.dtype.kind not in "OUT" and not isinstance(column.dtype, pd.StringDtype):
            continue
        ends = itertools.chain(column.array[-3:], column.array[:1])
        if any(facts.names_total(value) for value in ends):
            return facts.total_row(table.frame)
    return None


def _missing(column: pd.Series[Any]) -> int:
    kind = column.dtype.kind
    if kind in "iu" and isinstance(column.dtype, np.dtype):
        return 0
    if kind == "f" and isinstance(column.dtype, np.dtype):
        return int(np.isnan(column.to_numpy()).sum())
    return int(column.array.isna().sum())


def _examples(first: Iterable[Any]) -> list[str]:
    """The first different values of the first rows."""
    found: list[str] = []
    for value in first:
        if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
            continue
        text = clean(value, _LONGEST)
        if text and text not in found:
            found.append(text)
            if len(found) == _EXAMPLES:
                break
    return found
