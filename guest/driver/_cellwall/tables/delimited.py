"""Reads CSV, TSV and their relatives.

The text is given to pandas' own parser as it is; this module decides how, and
looks afterwards for what that parser gets wrong: identifiers read as numbers,
rows of another width, quotes that never close.
"""

from __future__ import annotations

import csv
import io
import warnings as python_warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from . import codes, columns, dialect, errors, names, records
from .dialect import Dialect
from .encoding import Text
from .errors import Unreadable
from .model import Limit, Parsed, Table

_FEW = 200  # rows


@dataclass(slots=True)
class Body:
    """The rows that are given, as text, and how to read them."""

    data: bytes
    dialect: Dialect
    names: list[str]
    warnings: list[str]
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL

    def read(self, dtype: Any = None, rows: int | None = None) -> pd.DataFrame:
        return pd.read_csv(io.BytesIO(self.data), names=self.names, dtype=dtype, nrows=rows, **self.how())

    def how(self) -> dict[str, Any]:
        """What pandas is told of every text of this dialect."""
        return {
            "sep": self.dialect.delimiter or "\x1f", "header": None, "index_col": False, "low_memory": False,
            "quoting": self.quoting, "skipinitialspace": self.dialect.spaced, "encoding": "utf-8",
        }  # fmt: skip


def read(text: Text, limit: Limit, named: str, name: str) -> Parsed:
    """Parses delimited text. Raises Unreadable when there is no table in it."""
    d = layout(text, named, name)
    parsed = Parsed("tsv" if d.delimiter == "\t" else "csv", [], text.encoding, d.delimiter, warnings=text.warnings)
    _tell(d, parsed)
    body = Body(b"", d, names.tidy(d.names, parsed.warnings), parsed.warnings)
    frame, total = _given(text, body, limit)
    series = dict(frame.items())
    _keep_identifiers(body, frame, series)
    found = columns.refine(frame, d.delimiter, series)
    if found.decimal:
        _regroup(body, frame, found)
        series = dict(frame.items())
    elif d.delimiter == ";":
        _doubt(body, frame, found)
    parsed.decimal, parsed.thousands = found.decimal, found.thousands
    parsed.warnings += found.warnings
    if len(frame) > limit.rows:
        frame = limit.cut(frame)
        series = dict(frame.items())
    parsed.tables.append(
        Table(frame, total, header_row=d.header_row, sample=limit.label(total), kinds=found.kinds, series=series)
    )
    return parsed


def layout(text: Text, named: str, name: str) -> Dialect:
    """How a text is written. Raises Unreadable when there is no table in it."""
    head = text.head(dialect.SAMPLE)
    whole = text.start + len(head) >= len(text.data)
    if not whole and b"\n" not in head and b"\r" not in head:
        head = text.head(errors.MAX_LINE)
        whole = text.start + len(head) >= len(text.data)
    d = dialect.sniff(head, whole, named)
    if not d.names:
        raise Unreadable(f"{name} has no rows and no column names: upload a file with a header and rows")
    if len(d.names) > errors.MAX_COLUMNS:
        raise Unreadable(f"{name} has {len(d.names)} columns, more than {errors.MAX_COLUMNS}: check its line breaks")
    return d


def _tell(d: Dialect, parsed: Parsed) -> None:
    if d.skipped:
        parsed.warnings.append(f"{d.skipped} line(s) above the table were left out")
    if not d.header_row:
        parsed.warnings.append("no header row was found: columns are named column_1, column_2, …")
    if d.ragged:
        parsed.warnings.append(
            f"rows have different numbers of fields: {d.delimiter!r} was taken for the delimiter because the header "
            "has it; check them, what is missing was filled up at the end"
        )
    elif d.delimiter not in (",", "\t", "") and not d.told:
        parsed.warnings.append(f"delimiter guessed: {d.delimiter!r}")


def _given(text: Text, body: Body, limit: Limit) -> tuple[pd.DataFrame, int]:
    """Gives the rows within the limit, or all of them when their ends could
    not be found beforehand, and the true number of rows."""
    start = text.start + body.dialect.body
    data = text.data
    if _lines(data, start) > limit.rows:
        spans = records.spans(data, start)
        kept = limit.pick(len(spans))
        if kept is not None and not records.stray_quotes(data, start, body.dialect.delimiter):
            body.data = records.gather(data, spans[kept])
            try:
                frame = _parse(body)
            except Unreadable:
                frame = pd.DataFrame()
            if len(frame) == len(kept):
                return frame, len(spans)
    body.data = data[start:]
    frame = _parse(body)
    return frame, len(frame)


def _lines(data: Any, start: int) -> int:
    if isinstance(data, bytes):
        return data.count(b"\n", start) + data.count(b"\r", start) + 1
    return 1 << 62


def _parse(body: Body) -> pd.DataFrame:
    if not body.data.strip():
        return pd.DataFrame(columns=body.names, dtype="str")
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("error", pd.errors.ParserWarning)
        while True:
            try:
                return body.read()
            except (pd.errors.ParserError, pd.errors.ParserWarning) as e:
                if not _repair(body, str(e)):
                    raise Unreadable(f"the rows cannot be told apart ({e}): save the file again as CSV or XLSX") from e
            except pd.errors.EmptyDataError:
                return pd.DataFrame(columns=body.names, dtype="str")


def _repair(body: Body, why: str) -> bool:
    """Changes how a text is read whose rows are wider than the header, or whose
    quotes never close, and says so. False when it knows nothing more to change."""
    if "inside string" in why and body.quoting != csv.QUOTE_NONE:
        body.quoting = csv.QUOTE_NONE
        body.warnings.append("a quotation mark is never closed: quotes were read as ordinary characters")
        return True
    widest, wider, first = _widths(body)
    if widest > errors.MAX_COLUMNS:
        raise Unreadable(f"row {first} has {widest} fields: check the file's quotes and line breaks")
    if widest <= len(body.names):
        return False
    more = [f"column_{i + 1}" for i in range(len(body.names), widest)]
    body.names = names.tidy(body.names + more, [])
    where = ", ".join(more[:5])
    body.warnings.append(
        f"{wider} row(s) have more fields than the header, first row {first}: the surplus is in {where}"
    )
    return True


def _widths(body: Body) -> tuple[int, int, int]:
    """The widest row, how many are wider than the header, and the first of those."""
    widest, wider, first = 0, 0, 0
    lines = io.TextIOWrapper(io.BytesIO(body.data), encoding="utf-8", newline="")
    delimiter = body.dialect.delimiter or "\x1f"
    try:
        for i, row in enumerate(csv.reader(lines, delimiter=delimiter, quoting=body.quoting)):
            if len(row) > len(body.names):
                wider += 1
                first = first or i + 1
                widest = max(widest, len(row))
    except csv.Error as e:
        raise Unreadable(f"the rows cannot be told apart ({e}): save the file again as CSV or XLSX") from e
    return widest, wider, first


def _keep_identifiers(body: Body, frame: pd.DataFrame, series: dict[str, pd.Series[Any]]) -> None:
    """Reads again as text the numbers that only name things.

    Those are integers with leading zeros, of 16 digits and more, and phones;
    integers past 64 bits arrive as objects.
    """
    cells = {c: column.to_numpy() for c, column in series.items() if column.dtype.kind in "iuf"}
    numeric = list(cells)
    suspects = [c for c in numeric if _suspicious(cells[c])]
    suspects += [c for c, column in series.items() if isinstance(column.dtype, np.dtype) and column.dtype.kind == "O"]
    if numeric and records.leading_zero(body.data, body.dialect.delimiter):
        suspects += [c for c in numeric if c not in suspects]
    if not suspects:
        return
    text = body.read(dtype=dict.fromkeys(suspects, str))
    for c in suspects:
        names_only = codes.NamesOnly()
        names_only.add(text[c])
        if names_only.true():
            frame[c] = text[c].str.strip()
            series[c] = frame[c]


def _suspicious(cells: np.ndarray) -> bool:
    if not len(cells):
        return False
    return codes.out_of_line(np.fmin.reduce(cells), np.fmax.reduce(cells))  # both skip what is missing


def _regroup(body: Body, frame: pd.DataFrame, found: columns.Findings) -> None:
    """In a file with decimal commas, "1.234" alone in a column is a thousand."""
    floats = _floats(frame, found)
    if not floats:
        return
    text = body.read(dtype=dict.fromkeys(floats, str))
    for c in floats:
        if thousands(text[c]):
            frame[c] = pd.to_numeric(text[c].str.replace(".", ""))
            found.thousands = "."


def _floats(frame: pd.DataFrame, found: columns.Findings) -> list[str]:
    return [c for c in frame.columns if frame[c].dtype.kind == "f" and c not in found.converted]


def _doubt(body: Body, frame: pd.DataFrame, found: columns.Findings) -> None:
    """Says where "1.234" may be a thousand: in a file with semicolons, which those with decimal
    commas have, when no number shows which mark is the decimal one."""
    floats = _floats(frame, found)
    if not floats or found.marks or found.pointed:
        return
    for rows in (_FEW, None):  # a few rows of most files show that it is the point
        text = body.read(dtype=dict.fromkeys(floats, str), rows=rows)
        grouped = [c for c in floats if thousands(text[c])]
        if any(text[c].str.contains(".", regex=False, na=False).any() for c in floats if c not in grouped):
            return
    for c in grouped:
        found.warnings.append(
            f"column {names.quoted(c)}: {_dotted(text[c])!r} was read with a decimal point; "
            "if the dot stands for thousands, multiply by 1000"
        )


def _dotted(text: pd.Series[Any]) -> str:
    """The first number with a dot."""
    return str(text[text.str.contains(".", regex=False, na=False)].iloc[0]).strip()


def thousands(text: pd.Series[Any]) -> bool:
    """Reports whether every dot of a column stands for thousands."""
    present = text.dropna().str.strip()
    return bool(
        len(present)
        and present.str.fullmatch(r"[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)").all()
        and present.str.contains(".", regex=False).any()
    )
