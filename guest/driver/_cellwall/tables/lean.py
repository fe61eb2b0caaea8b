"""Reads a large delimited file in steps: it never lies in memory as a whole.

    large = open_large(path, name, folder)    None = it is to be read as every file is
    large.frame(["region", "profit"])         these columns, as `load` would give them

What a column is is decided as for a file that is read at once, by the same rules:
a survey of all rows says which columns are numbers, and what may be another
notation or only name things is looked at once more, one column at a time.
"""

from __future__ import annotations

import mmap
import os
import warnings as python_warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from . import delimited, encoding, names, source
from .delimited import Body
from .errors import Unreadable
from .kept import Column
from .survey import Survey, Unlike

ABOVE = 16 << 20  # bytes: what is smaller is read at once sooner
STEP = 1 << 17  # rows


@dataclass
class Large:
    """A large file whose columns are known."""

    path: str  # of its text in UTF-8
    data: bytes | mmap.mmap  # the same
    start: int  # of its first row
    body: Body  # without data
    stem: str
    rows: int = 0
    narrow: bool = False  # a step may lack the last column, which pandas does not take where columns are chosen
    columns: dict[str, Column] = field(default_factory=dict)

    def steps(self, only: Iterable[str] | None = None, dtype: Any = None) -> Iterator[pd.DataFrame]:
        """Some columns of the next rows, as pandas reads them; without names all of them, and a
        row that is wider than the others is an error then."""
        chosen = None if only is None or self.narrow else list(only)
        with open(self.path, "rb") as file, python_warnings.catch_warnings():
            python_warnings.simplefilter("error", pd.errors.ParserWarning)
            file.seek(self.start)
            yield from pd.read_csv(
                file, names=self.body.names, usecols=chosen, dtype=dtype, chunksize=STEP, **self.body.how()
            )

    def text(self, name: str) -> pd.Series[Any]:
        """One column as it is written."""
        return pd.concat([step[name] for step in self.steps([name], str)], ignore_index=True)

    def frame(self, only: Iterable[str] | None = None) -> pd.DataFrame:
        """Some columns, all of them when None."""
        chosen = [name for name in self.columns if only is None or name in set(only)]
        dtype = {name: self.columns[name].reads() for name in chosen if self.columns[name].reads()}
        parts: dict[str, list[pd.Series[Any]]] = {name: [] for name in chosen}
        for step in self.steps(chosen, dtype) if chosen else ():
            for name in chosen:
                parts[name].append(self.columns[name].made(step[name]))
        joined = {name: pd.concat(parts.pop(name), ignore_index=True) for name in chosen}
        return pd.DataFrame(joined, index=pd.RangeIndex(self.rows), columns=pd.Index(chosen, dtype="str"))

    def none(self) -> pd.DataFrame:
        """The table without its rows, to tell its columns by."""
        parts = {name: pd.Series([], dtype=column.dtype()) for name, column in self.columns.items()}
        return pd.DataFrame(parts, columns=pd.Index(list(parts), dtype="str"))


def open_large(path: str, name: str, folder: str, above: int = ABOVE) -> Large | None:
    """Opens a file when it is large and delimited; None when it is to be read at once,
    which also tells what is wrong with it. What has to be written anew goes to folder."""
    if os.path.getsize(path) <= above:
        return None
    try:
        large = _opened(path, name, folder)
        Survey(large).settle()
    except (Unlike, Unreadable, pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError):
        return None
    return large


def _opened(path: str, name: str, folder: str) -> Large:
    src = source.open_source(path, name)
    if src.content != "text":
        raise Unlike
    spool = os.path.join(folder, f"{abs(hash(name)):x}.csv")
    text = encoding.to_utf8(src.data, name, spool)
    if text.head(1024).lstrip()[:1] in (b"{", b"["):
        raise Unlike  # it may be JSON
    if text.data is src.data and not src.packed:
        spool = path
    elif isinstance(text.data, bytes):
        with open(spool, "wb") as file:
            file.write(text.data)
    dialect = delimited.layout(text, src.named, name)
    return Large(
        spool, text.data, text.start + dialect.body, Body(b"", dialect, names.tidy(dialect.names, []), []), src.stem
    )
