"""Reads the sheets of an Excel workbook, each as a table.

Sheets are written for people: titles above the table, cells merged over several
rows, empty columns. The header is the first row that is as wide as the table.
Formulas give the result that was saved with them.
"""

from __future__ import annotations

import datetime
import decimal
import io
import warnings as python_warnings
from typing import Any, BinaryIO

import pandas as pd

from . import columns, dialect, errors, names, zipguard
from .errors import Unreadable
from .model import Limit, Parsed, Table
from .source import Source

# Above this a workbook is streamed: no merged cells, but a fraction of the memory.
_STREAM_ABOVE = 16 << 20
_HEADER_WITHIN = 50
_LONG = 10**15


def read(source: Source, limit: Limit, name: str) -> Parsed:
    """Parses a workbook. Raises Unreadable."""
    file: BinaryIO = io.BytesIO(source.data) if source.packed else open(source.path, "rb")  # noqa: SIM115
    with file:
        seen = zipguard.inspect(file, name)
        parsed = Parsed("xlsx", [])
        if seen.formulas_without_result:
            parsed.warnings.append(
                f"{seen.formulas_without_result} formulas have no saved result and are missing: "
                "open the file in a spreadsheet program and save it"
            )
        try:
            _read_sheets(file, seen.expanded > _STREAM_ABOVE, limit, parsed)
        except (Unreadable, MemoryError, RecursionError):
            raise
        except Exception as e:  # openpyxl answers damage with whatever its parts raise
            raise zipguard.damaged(name, f"{type(e).__name__}: {e}") from e
    if seen.sheets > len(parsed.sheets):
        parsed.warnings.append(
            f"{seen.sheets - len(parsed.sheets)} of {seen.sheets} sheets hold no cells or cannot be read: "
            "charts, or the file is damaged"
        )
    if not parsed.tables:
        raise Unreadable(f"{name} has no sheet with cells: fill one and upload it again")
    return parsed


def _read_sheets(file: BinaryIO, stream: bool, limit: Limit, parsed: Parsed) -> None:
    import openpyxl

    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(file, read_only=stream, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        parsed.sheets.append(sheet.title)
        if stream:
            sheet.reset_dimensions()
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        merged = [] if stream else [r.bounds for r in sheet.merged_cells.ranges]
        if any(v is not None for row in rows for v in row):
            parsed.tables.append(_table(sheet.title, rows, merged, limit, parsed))
        if sheet.sheet_state != "visible":
            parsed.warnings.append(f"sheet {names.quoted(sheet.title)} is hidden")
    book.close()


def _table(
    title: str, rows: list[list[Any]], merged: list[tuple[int, int, int, int]], limit: Limit, parsed: Parsed
) -> Table:
    if max(len(row) for row in rows) > errors.MAX_COLUMNS:
        raise Unreadable(f"sheet {names.quoted(title)} has more than {errors.MAX_COLUMNS} columns")
    top = header_row(rows)
    filled = _unmerge(rows, merged, top)
    if filled:
        parsed.warnings.append(f"sheet {names.quoted(title)}: {filled} merged areas were filled with their value")
    if any(v is not None for row in rows[:top] for v in row):
        parsed.warnings.append(f"sheet {names.quoted(title)}: {top} row(s) above the header were left out")
    named = dialect.has_header(_texts(rows[top]), [_texts(row) for row in rows[top + 1 : top + 31]])
    header = rows[top] if named else [f"column_{i + 1}" for i in range(max(len(row) for row in rows))]
    if not named:
        parsed.warnings.append(
            f"sheet {names.quoted(title)}: no header row was found: columns are named column_1, column_2, …"
        )
    body = [row for row in rows[top + named :] if any(v is not None for v in row)]
    width = max([len(header), *(len(row) for row in body)])
    header += [None] * (width - len(header))
    for row in body:
        row += [None] * (width - len(row))
    used = [i for i in range(width) if (named and header[i] is not None) or any(row[i] is not None for row in body)]
    total = len(body)
    kept = limit.pick(total)
    if kept is not None:
        body = [body[i] for i in kept.tolist()]
    labels = names.tidy((_label(header[i]) for i in used), parsed.warnings)
    kinds: dict[str, str] = {}
    data = {n: _column([row[i] for row in body], n, kinds, title, parsed) for n, i in zip(labels, used, strict=True)}
    frame = pd.DataFrame(data, columns=pd.Index(labels, dtype="str"))
    found = columns.refine(frame)
    parsed.warnings += [f"sheet {names.quoted(title)}: {w}" for w in found.warnings]
    return Table(frame, total, title, top + 1 if named else 0, limit.label(total), {**found.kinds, **kinds})


def header_row(rows: list[list[Any]]) -> int:
    """The index of the first row that is nearly as wide as the table below it.

    A title fills a cell or two; the header is text and fills the width. The
    cell above row labels may be empty.
    """
    counts = [sum(v is not None and v != "" for v in row) for row in rows]
    widest = max(counts[: _HEADER_WITHIN * 2])
    usual = sorted(c for c in counts[: _HEADER_WITHIN * 2] if c)
    width = max(usual[len(usual) // 2], min(widest, 2))
    for i, n in enumerate(counts[:_HEADER_WITHIN]):
        if n * 10 >= width * 7 and n >= min(2, width):
            return i
        if 0 < n == width - 1 and _beside_labels(rows[i : i + 5], width):
            return i
    return next(i for i, n in enumerate(counts) if n)


def _beside_labels(rows: list[list[Any]], width: int) -> bool:
    """Reports whether the first of these rows names all columns but that of the row labels.

    A title may stand there as well: then names follow it, and values follow those.
    """
    named = rows[0][1:width]
    if rows[0][0] not in (None, "") or not (all(map(_is_text, named)) or named == list(range(width - 1))):
        return False
    below = [[v for v in row[:width] if v not in (None, "")] for row in rows[1:]]
    below = [row for row in below if row][:2]
    names_follow = bool(below) and len(below[0]) == width and all(map(_is_text, below[0]))
    return bool(below) and not (names_follow and not all(map(_is_text, below[-1])))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _unmerge(rows: list[list[Any]], merged: list[tuple[int, int, int, int]], top: int) -> int:
    """Repeats the value of cells merged over rows of the table: one label for
    several rows is a value of each of them."""
    filled = 0
    for left, first, right, last in merged:
        if first - 1 < top or last == first:
            continue
        value = rows[first - 1][left - 1]
        if value is None:
            continue
        filled += 1
        for r in range(first - 1, min(last, len(rows))):
            for c in range(left - 1, min(right, len(rows[r]))):
                rows[r][c] = value
    return filled


def _texts(row: list[Any]) -> list[str]:
    return ["" if v is None else str(_label(v)) for v in row]


def _label(value: Any) -> object:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _fifteen(value: float) -> str:
    """The digits that a spreadsheet program shows: 15, then zeros."""
    return str(int(decimal.Decimal(f"{value:.14e}")))


def _column(cells: list[Any], name: str, kinds: dict[str, str], title: str, parsed: Parsed) -> pd.Series[Any]:
    present = [v for v in cells if v is not None]
    sorts = {type(v) for v in present}
    whole = sorts <= {int, float} and all(v == int(v) for v in present if abs(v) < 1e300)
    if present and whole and max(abs(v) for v in present) >= _LONG:
        kinds[name] = "identifier"
        parsed.warnings.append(
            f"sheet {names.quoted(title)}: column {names.quoted(name)} has numbers of more than 15 digits, "
            "of which a workbook keeps 15: the last digits are zeros; store such identifiers as text"
        )
        return pd.Series([None if v is None else _fifteen(v) for v in cells], dtype="str")
    if sorts and sorts <= {datetime.datetime, datetime.date}:
        kinds[name] = "date"
        return pd.Series(pd.to_datetime(pd.Series(cells), errors="coerce"))
    if len(sorts - {int, float}) > 1 or (len(sorts) > 1 and not sorts <= {int, float}):
        kinds[name] = "mixed"
        what = ", ".join(sorted(t.__name__ for t in sorts))
        parsed.warnings.append(f"sheet {names.quoted(title)}: column {names.quoted(name)} is mixed: it holds {what}")
        return pd.Series(cells, dtype="object")
    return pd.Series(cells, dtype="object" if not present else None).infer_objects()
