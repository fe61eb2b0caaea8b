"""Tables as text, as HTML and as bounded data that is strict JSON."""

from __future__ import annotations

from typing import Any

import pandas as pd

from . import values

ROWS = 200  # of the data
CELLS = 20_000  # of the data; fewer rows when there are many columns
COLUMNS = 500  # named in the data
CELL = 500  # characters of one cell in the data
HTML_ROWS, HTML_COLUMNS = 60, 30
HTML_BYTES = 256 << 10


def bundle(table: pd.DataFrame | pd.Series[Any]) -> dict[str, Any]:
    """All representations of a DataFrame or Series."""
    frame = table.to_frame() if isinstance(table, pd.Series) else table
    shown = {"text/plain": text(table), "application/json": data(frame)}
    markup = html(frame)
    if markup:
        shown["text/html"] = markup
    return shown


def text(table: pd.DataFrame | pd.Series[Any]) -> str:
    """What print would show; a wide table also names every column."""
    if isinstance(table, pd.Series) or len(table.columns) <= 20:
        return values.text(table)
    names = values.cut(", ".join(label(name) for name in table.columns[:2000]), values.TEXT_BYTES // 2)
    return f"{values.text(table, values.TEXT_BYTES // 2 - 100)}\n\n{len(table.columns)} columns: {names}"


def html(frame: pd.DataFrame) -> str:
    """The table's HTML, the middle left out when it is long or wide."""
    try:
        markup = frame.to_html(max_rows=HTML_ROWS, max_cols=HTML_COLUMNS, show_dimensions=True, border=0)
    except BaseException as failure:  # a cell's own repr may fail; text and data remain
        values.let_through(failure)
        return ""
    return values.utf8(markup) if len(markup) <= HTML_BYTES else ""


def data(frame: pd.DataFrame) -> dict[str, Any]:
    """The head of the table with its keys, dtypes and true size."""
    columns = min(len(frame.columns), COLUMNS)
    rows = min(len(frame), ROWS, max(1, CELLS // max(1, columns)))
    head = frame.iloc[:rows, :columns]
    cells = [[values.cell(v, CELL) for v in head.iloc[:, at].tolist()] for at in range(columns)]
    return {
        "columns": [label(name) for name in head.columns],
        "dtypes": [str(dtype)[:100] for dtype in head.dtypes],
        "index_names": [label(name) for name in frame.index.names if name is not None],
        "index": [_key(key) for key in head.index.tolist()],
        "rows": [list(row) for row in zip(*cells, strict=True)] if columns else [[] for _ in range(rows)],
        "total_rows": len(frame),
        "total_columns": len(frame.columns),
        "truncated": rows < len(frame) or columns < len(frame.columns),
    }


def label(name: Any) -> str:
    """A column's or level's name as text."""
    if type(name) is str:
        return values.cut(name, 200)
    if type(name) is tuple:
        return values.cut(" / ".join(label(part) for part in name), 400)
    shown = values.cell(name, 200)
    return "" if shown is None else str(shown)


def _key(key: Any) -> Any:
    return [values.cell(part, CELL) for part in key] if type(key) is tuple else values.cell(key, CELL)
