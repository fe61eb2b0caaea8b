"""Finds the delimiter, the header and the lines above it from the first lines."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
from collections import Counter
from dataclasses import dataclass

from . import errors, records
from .errors import Unreadable

SAMPLE = 64 << 10
_LINES = 60
_DELIMITERS = (",", ";", "\t", "|")
_COMMA_IN_NUMBER = re.compile(r"(?<=\d),(?=\d)")
_NUMBER = re.compile(r"\s*[+-]?(\d[\d.,  ']*|\.\d+)([eE][+-]?\d+)?\s*%?\s*")
_DATE = re.compile(r"\s*\d{1,4}([-/.]\d{1,2}[-/.]\d{1,4}|年\d{1,2}月\d{1,2}日)([T ]\d{1,2}:\d\d.*)?\s*")
_YEAR = re.compile(r"\s*(19|20)\d\d\s*")
_SAID = re.compile(r"\s*\"?sep=(.)\"?[,;\t ]*[\r\n]*", re.IGNORECASE)  # Excel's word on the delimiter, above the table
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "-"))


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited text is written; `body` is the byte offset of its data."""

    delimiter: str  # "" = a single column
    names: list[str]  # of the columns
    header_row: int  # 1 = the first line; 0 = none
    body: int
    spaced: bool  # a space follows each delimiter
    skipped: int  # lines above the header
    told: bool = False  # the delimiter stands in the file itself
    ragged: bool = False  # rows differ too much to agree on a delimiter: it is the header's


def sniff(head: bytes, whole: bool, named: str) -> Dialect:
    """Reads the first lines; `whole` says that `head` is the entire text.

    Raises Unreadable when the first line is longer than any header.
    """
    text = head.decode("utf-8", "ignore")
    lines = list(itertools.islice(io.StringIO(text, newline=""), _LINES + 1))
    if not whole and len(lines) <= _LINES:
        if len(lines) == 1:
            raise Unreadable(
                f"the first line is longer than {errors.MAX_LINE >> 10} KiB: this is no table with a line per row; "
                "check that the file has line breaks"
            )
        lines.pop()
    lines = lines[:_LINES]
    said = _SAID.fullmatch(lines[0]) if lines else None
    table = lines[1:] if said else lines
    delimiter, ragged = (said[1], False) if said else _delimiter(table, named)
    parsed = list(records.rows(table, delimiter or ","))
    if not delimiter:  # one column: commas in it are text
        parsed = [([line.strip("\r\n").strip('"')] if line.strip() else [], i + 1) for i, line in enumerate(lines)]
    if said:
        parsed = [(row, at + 1) for row, at in parsed]
    return dataclasses.replace(_layout(delimiter, parsed, lines, bool(said)), told=bool(said), ragged=ragged)


def _delimiter(lines: list[str], named: str) -> tuple[str, bool]:
    """The delimiter, "" for none, and whether only the header speaks for it."""
    text = "".join(lines)
    found: list[tuple[bool, bool, int, int, float, str]] = []
    for d in _DELIMITERS:
        if d not in text:
            continue
        rows = [row for row, _ in records.rows(lines, d) if row]
        width, agreement = _agreement([len(row) for row in rows])
        quotes = sum('"' in cell for row in rows for cell in row) if '"' in text else 0  # left over by a wrong one
        if width > 1 and agreement >= 0.6:
            found.append((agreement >= 0.9, d == "\t" and named == "tsv", -quotes, width, agreement, d))
    if not found:
        return _of_header(lines)
    found.sort(reverse=True)
    best = found[0][-1]
    if best == "," and len(found) > 1 and found[1][0] and not _COMMA_IN_NUMBER.sub("", text).count(","):
        return found[1][-1], False  # every comma is a decimal mark
    return best, False


def _of_header(lines: list[str]) -> tuple[str, bool]:
    """The delimiter of a header of words, when every line has it and a third is as wide as the header.

    In prose a space follows a comma.
    """
    best, most = "", 1
    for d in _DELIMITERS:
        rows = [row for row, _ in records.rows(lines, d) if row] if lines and d in lines[0] else []
        header = rows[0] if rows else []
        if len(header) <= most or len(set(header)) < len(header) or any(c != c.strip() or not c for c in header):
            continue
        if all(len(row) > 1 for row in rows) and sum(len(row) == len(header) for row in rows) * 3 >= len(rows):
            best, most = d, len(header)
    return best, bool(best)


def _agreement(widths: list[int]) -> tuple[int, float]:
    """The usual number of fields, and the share of lines that have it.

    Narrow lines before the first usual one are a title and do not count.
    """
    wide = Counter(w for w in widths if w > 1)
    if not wide:
        return 1, 1.0
    width = max(wide, key=lambda w: (wide[w], w))
    table = widths[next(i for i, w in enumerate(widths) if w > 1) :]
    return width, table.count(width) / len(table)


def _layout(delimiter: str, parsed: list[tuple[list[str], int]], lines: list[str], start: int) -> Dialect:
    """What stands where; the first `start` lines are no rows."""
    filled = [(row, at) for row, at in parsed if any(cell.strip() for cell in row)]
    if not filled:
        return Dialect(delimiter, [], 0, sum(len(x.encode()) for x in lines), False, 0)
    width, _ = _agreement([len(row) for row, _ in filled])
    top = 0
    while top < len(filled) - 1 and _is_title(filled[top][0], width):
        top += 1
    first = filled[top][0]
    spaced = len(first) > 1 and all(cell.startswith(" ") for cell in first[1:])
    if has_header(first, [row for row, _ in filled[top + 1 : top + 31]]):
        line = filled[top][1]
        body = sum(len(x.encode()) for x in lines[:line])
        return Dialect(delimiter, first, line - _extra_lines(first), body, spaced, top)
    above = filled[top - 1][1] if top else start
    body = sum(len(x.encode()) for x in lines[:above])
    names = [f"column_{i + 1}" for i in range(max(width, len(first)))]
    return Dialect(delimiter, names, 0, body, spaced, top)


def _extra_lines(row: list[str]) -> int:
    return sum(cell.count("\n") for cell in row)


def _is_title(row: list[str], width: int) -> bool:
    """A title fills one cell of a table that has several columns."""
    alone = sum(bool(cell.strip()) for cell in row) <= 1
    return alone and (width > 2 or (width == 2 and len(row) < 2))


def has_header(first: list[str], below: list[list[str]]) -> bool:
    """Decides whether a first row names columns or is already data.

    It is data when cells of it are numbers or dates and the cells below are of
    the same sort, more often than text stands above such cells. A run of years
    above numbers is a header all the same.
    """
    cells = [cell.strip() for cell in first]
    if not any(cells):
        return False
    values = [i for i, cell in enumerate(cells) if _sort(cell) in ("number", "date")]
    if not values:
        return True
    if not cells[0] and cells[1:] == [str(i) for i in range(len(cells) - 1)] and all(row and row[0] for row in below):
        return True
    years = [int(cells[i]) for i in values if _YEAR.fullmatch(cells[i])]
    if len(years) == len(values) > 1 and years == sorted(set(years)):
        return True
    if not below:
        return len(values) * 2 < len(cells)
    same = named = 0
    for i, cell in enumerate(cells):
        column = [_sort(row[i].strip()) for row in below if i < len(row)]
        column = [s for s in column if s != "missing"]
        usual = max(column, key=column.count, default="missing")
        same += i in values and usual == _sort(cell)
        named += _sort(cell) == "text" and usual in ("number", "date")
    return named >= same if named else same * 2 < len(values)


def _sort(cell: str) -> str:
    if cell.lower() in _MISSING:
        return "missing"
    if _NUMBER.fullmatch(cell):
        return "number"
    return "date" if _DATE.fullmatch(cell) else "text"
