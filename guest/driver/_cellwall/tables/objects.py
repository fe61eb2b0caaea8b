"""Reads JSON and JSON lines.

Nested objects stay as they are, in a column of kind "nested": which of them
become columns is the analyst's choice. A document is searched for the lists
of records in it, a few levels deep.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from . import columns, names, records
from .encoding import Text
from .errors import Unreadable
from .model import Limit, Parsed, Table

_LEVELS = 4
_LONG = re.compile(rb"\d{16}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_NESTED = (dict, list)


def read(text: Text, limit: Limit, named: str, name: str) -> Parsed | None:
    """Parses JSON; None when the text is none, and its name does not say so.

    Raises Unreadable when the name says JSON and the text is damaged.
    """
    first = text.head(4096).lstrip()[:1]
    says_json = named in ("json", "jsonl")
    if first not in (b"{", b"["):
        if says_json and not _looks_delimited(text):
            raise Unreadable(f"{name} is not JSON: it begins with {first.decode('latin-1')!r}; check what was exported")
        return None
    try:
        lines = _read_lines(text, limit)
        return lines or _read_document(text, limit, name)
    except ValueError as e:
        if named in ("csv", "tsv"):
            return None
        raise Unreadable(f"{name} is not valid JSON ({_short(e)}): export it again") from e


def _looks_delimited(text: Text) -> bool:
    line = text.head(4096).split(b"\n", 1)[0]
    return any(d in line for d in (b",", b";", b"\t", b"|"))


def _short(e: ValueError) -> str:
    return str(e)[:200]


def _read_lines(text: Text, limit: Limit) -> Parsed | None:
    """JSON lines: one object or array a line. None when it is one document."""
    if text.data.find(b"\n", text.start) < 0:
        spans = np.array([[text.start, len(text.data)]])
    else:
        spans = records.spans(text.data, text.start, quoting=False)
    decode = _decoder(text.data)
    first = text.data[int(spans[0][0]) : int(spans[0][1])]
    try:
        sort = type(decode(first))
    except ValueError:
        return None
    total = len(spans)
    if sort not in _NESTED or total == 1:
        return _single(first, text) if sort is dict else None
    parsed = Parsed("jsonl", [], text.encoding, warnings=text.warnings)
    kept = limit.pick(total)
    found = []
    for i in range(total) if kept is None else kept.tolist():
        try:
            found.append(decode(text.data[int(spans[i][0]) : int(spans[i][1])]))
        except ValueError as e:
            raise ValueError(f"line {i + 1}: {e}") from e
    parsed.tables.append(_table(_frame(found, parsed), total, limit.label(total), parsed))
    return parsed


def _decoder(data: Any) -> Callable[[bytes], Any]:
    """Integers of 16 digits and more become text: they are identifiers, and a
    column with a gap would turn them into floats."""
    decode: Callable[[bytes], Any] = json.loads
    if _LONG.search(data):
        decode = functools.partial(json.loads, parse_int=lambda s: s if len(s) >= 16 else int(s))
    if _SURROGATE.search(data):
        return lambda raw: _valid(decode(raw))
    return decode


def _valid(value: Any) -> Any:
    """Replaces halves of characters, which JSON can write and nothing can print."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_valid(v) for v in value]
    if isinstance(value, dict):
        return {_valid(k): _valid(v) for k, v in value.items()}
    return value


def _single(line: bytes, text: Text) -> Parsed | None:
    """One line is JSON lines when it is a flat record, else a document."""
    value = _decoder(line)(line)
    if any(isinstance(v, _NESTED) for v in value.values()) or not value:
        return None
    parsed = Parsed("json", [], text.encoding, warnings=text.warnings)
    parsed.tables.append(_table(_frame([value], parsed), 1, "all", parsed))
    return parsed


def _read_document(text: Text, limit: Limit, name: str) -> Parsed:
    document = _decoder(text.data)(text.data[text.start :])
    parsed = Parsed("json", [], text.encoding, warnings=text.warnings)
    found = _tables_in(document, parsed)
    if not found:
        raise Unreadable(f"{name} holds no list of records: give a list of objects, or an object of lists")
    for key, rows in found:
        frame = rows if isinstance(rows, pd.DataFrame) else _frame(_limited(rows, limit), parsed)
        total = len(rows)
        frame = limit.cut(frame) if len(frame) > limit.rows else frame
        parsed.tables.append(_table(frame, total, limit.label(total), parsed, key))
    return parsed


def _limited(rows: list[Any], limit: Limit) -> list[Any]:
    """Applies the row limit before a frame is built."""
    kept = limit.pick(len(rows))
    return rows if kept is None else [rows[i] for i in kept.tolist()]


def _tables_in(document: Any, parsed: Parsed) -> list[tuple[str, Any]]:
    if isinstance(document, list):
        return [("", document)]
    if not isinstance(document, dict):
        return []
    if whole := _as_columns(document):
        return [("", whole[0])]
    found = list(_lists_in(document, "", _LEVELS))
    if found:
        left = [str(k) for k in document if not any(p == k or p.startswith(f"{k}.") for p, _ in found)]
        parsed.warnings.append(
            f"the table was found under {', '.join(names.quoted(p) for p, _ in found[:5])}"
            + (f"; not in a table: {', '.join(map(names.quoted, left[:10]))}" if left else "")
        )
        return found if len(found) > 1 else [("", found[0][1])]
    if document and all(isinstance(v, dict) for v in document.values()):
        parsed.warnings.append('each key of the document is a row; the keys are in column "key"')
        return [("", [{"key": k, **v} for k, v in document.items()])]
    return [("", [document])] if document else []


def _as_columns(document: dict[str, Any]) -> tuple[pd.DataFrame] | None:
    """An object of equally long lists, of objects by row number, or pandas' "split"."""
    held = list(document.values())
    if {"columns", "data"} <= document.keys() and isinstance(document["data"], list):
        rows = document["data"]
        if isinstance(document["columns"], list) and all(isinstance(r, list) for r in rows):
            width = len(document["columns"])
            if all(len(r) == width for r in rows):
                return (_made(rows, document["columns"]),)
    even = bool(held) and all(isinstance(v, list) for v in held) and len({len(v) for v in held}) == 1
    if even and (len(held) > 1 or not any(isinstance(x, dict) for x in held[0])):
        return (_made(list(zip(*held, strict=True)), list(document)),)
    if held and all(isinstance(v, dict) and v for v in held):
        rows_by_key = list(held[0])
        if all(k.isdigit() for k in rows_by_key) and all(list(v) == rows_by_key for v in held):
            return (_made(list(zip(*(v.values() for v in held), strict=True)), list(document)),)
    return None


def _made(rows: list[Any], header: list[Any]) -> pd.DataFrame:
    frame = pd.DataFrame.from_records(rows, columns=names.tidy(header, []), coerce_float=False)
    return frame.infer_objects()


def _lists_in(document: dict[str, Any], path: str, levels: int) -> Iterable[tuple[str, list[Any]]]:
    for key, value in document.items():
        here = f"{path}.{key}" if path else key
        if isinstance(value, list) and value and all(isinstance(x, dict) for x in value):
            yield here, value
        elif isinstance(value, dict) and levels > 1:
            yield from _lists_in(value, here, levels - 1)


def _frame(rows: list[Any], parsed: Parsed) -> pd.DataFrame:
    if rows and all(isinstance(r, list) for r in rows):
        width = max(len(r) for r in rows)
        filled = [r + [None] * (width - len(r)) for r in rows]
        header = filled[0]
        if len(filled) > 1 and all(isinstance(c, str) for c in header) and len(set(header)) == width:
            return _made(filled[1:], header)
        parsed.warnings.append("the rows are lists without names: columns are named column_1, column_2, …")
        return _made(filled, [f"column_{i + 1}" for i in range(width)])
    odd = sum(not isinstance(r, dict) for r in rows)
    if odd and odd < len(rows):
        parsed.warnings.append(f'{odd} entries are no objects: they are in column "value"')
    if odd:
        rows = [r if isinstance(r, dict) else {"value": r} for r in rows]
    frame = pd.DataFrame(rows)
    frame.columns = pd.Index(names.tidy(frame.columns, parsed.warnings), dtype="str")
    return frame


def _table(frame: pd.DataFrame, total: int, sample: str, parsed: Parsed, name: str = "") -> Table:
    kinds: dict[str, str] = {}
    for c in frame.columns:
        _settle(frame, c, kinds, parsed)
    found = columns.refine(frame)
    parsed.warnings += found.warnings
    return Table(frame, total, name=name, sample=sample, kinds={**found.kinds, **kinds})


def _settle(frame: pd.DataFrame, c: str, kinds: dict[str, str], parsed: Parsed) -> None:
    """Notices nested and mixed columns; a column of identifiers becomes text."""
    column = frame[c]
    if column.dtype != object:
        return
    present = [v for v in column.tolist() if not _is_missing(v)]
    sorts = {type(v).__name__ for v in present}
    if sorts & {"dict", "list"}:
        kinds[c] = "nested"
    elif "str" in sorts and sorts <= {"int", "str"} and all(str(v).lstrip("-").isdigit() for v in present):
        frame[c] = column.map(lambda v: None if _is_missing(v) else str(v)).astype("str")
        kinds[c] = "identifier"
    elif len(sorts) > 1 and sorts != {"int", "float"}:
        kinds[c] = "mixed"
        parsed.warnings.append(f"column {names.quoted(c)} is mixed: it holds {', '.join(sorted(sorts))}")


def _is_missing(v: object) -> bool:
    return v is None or (isinstance(v, float) and v != v)
