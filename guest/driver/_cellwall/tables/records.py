"""Finds where records end without parsing them, so that a sample of a large
file costs what the sample costs."""

from __future__ import annotations

import csv
import mmap
from collections.abc import Iterator

import numpy as np

_STEP = 4 << 20


def spans(data: bytes | mmap.mmap, start: int, quoting: bool = True) -> np.ndarray:
    """Gives the begin and the end of each record that is not blank, as rows.

    A line break inside quotes ends no record: it has an odd number of quote
    characters before it. Text with stray quotes breaks this rule; callers
    compare what they parse with what was counted here.
    """
    newline = 10 if data.find(b"\n", start) >= 0 else 13
    found: list[np.ndarray] = []
    odd = False
    for at in range(start, len(data), _STEP):
        step = np.frombuffer(data[at : at + _STEP], np.uint8)
        breaks = np.flatnonzero(step == newline)
        quotes = np.flatnonzero(step == 34) if quoting else breaks[:0]
        if odd or len(quotes):
            before = np.searchsorted(quotes, breaks) + odd
            breaks = breaks[before % 2 == 0]
            odd = bool((len(quotes) + odd) % 2)
        found.append(breaks + (at + 1))
    at_end = np.concatenate(found) if found else np.empty(0, np.int64)
    if not len(at_end) or at_end[-1] != len(data):
        at_end = np.append(at_end, len(data))
    begins = np.concatenate(([start], at_end[:-1]))
    first = np.frombuffer(data, np.uint8)[np.minimum(begins, len(data) - 1)]
    kept = begins < at_end
    for i in np.flatnonzero(kept & np.isin(first, (32, 10, 13))):
        if not data[int(begins[i]) : int(at_end[i])].strip(b" \r\n"):
            kept[i] = False
    return np.column_stack((begins, at_end))[kept]


def stray_quotes(data: bytes | mmap.mmap, start: int, delimiter: str) -> bool:
    """Reports whether a quote stands in the middle of a field's text."""
    if data.find(b'"', start) < 0:
        return False
    edges = np.frombuffer(f'{delimiter}"\r\n'.encode(), np.uint8)
    cells = np.frombuffer(data, np.uint8)[start:]
    for at in range(0, len(cells), _STEP):
        step = cells[at : at + _STEP + 2]  # two more, so that no quote is always at an edge
        quotes = np.flatnonzero(step[1:-1] == 34) + 1
        inside = ~np.isin(step[quotes - 1], edges) & ~np.isin(step[quotes + 1], edges)
        if inside.any():
            return True
    return False


def gather(data: bytes | mmap.mmap, spans: np.ndarray) -> bytes:
    """Joins records, each with a line break behind it."""
    pieces = [data[b:e] for b, e in spans.tolist()]
    if pieces and not pieces[-1].endswith((b"\n", b"\r")):
        pieces[-1] += b"\n"
    return b"".join(pieces)


def rows(lines: list[str], delimiter: str) -> Iterator[tuple[list[str], int]]:
    """Parses lines and gives each record with the number of lines read so far."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            yield row, reader.line_num
    except csv.Error:
        return


def leading_zero(data: bytes | mmap.mmap, delimiter: str) -> bool:
    """Reports whether a field begins with a zero and another digit."""
    return any(len(found) for found, _ in _leading(data, 0, delimiter))


def leading_zeros(data: bytes | mmap.mmap, start: int, delimiter: str) -> set[int]:
    """The fields, counted from 0, that begin so; of a text without quotes."""
    found: set[int] = set()
    before = 0  # delimiters since the line began, where a step begins
    for zeros, cells in _leading(data, start, delimiter):
        breaks = np.flatnonzero((cells == 10) | (cells == 13))
        marks = np.flatnonzero(cells == ord(delimiter)) if delimiter else breaks[:0]
        lines = np.searchsorted(breaks, zeros)
        begun = np.where(lines > 0, np.searchsorted(marks, breaks[lines - 1]) if len(breaks) else 0, -before)
        found.update((np.searchsorted(marks, zeros) - begun).tolist())
        before = len(marks) - int(np.searchsorted(marks, breaks[-1])) if len(breaks) else before + len(marks)
    return found


def _leading(data: bytes | mmap.mmap, start: int, delimiter: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Where such fields begin in each step of the text, and the step."""
    edges = np.frombuffer(f'{delimiter}\n\r" '.encode(), np.uint8)
    cells = np.frombuffer(data, np.uint8)
    for at in range(start, len(cells), _STEP):
        step = cells[at : at + _STEP]
        after = cells[at + 1 : at + _STEP + 1]
        zeros = np.flatnonzero(step[: len(after)] == 48)
        follow = after[zeros]
        zeros = zeros[(follow >= 48) & (follow <= 57)]
        places = zeros + at
        kept = (places == start) | np.isin(cells[np.maximum(places - 1, start)], edges)
        yield zeros[kept], step
