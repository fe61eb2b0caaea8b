"""What the columns of a large file are, found without having the file in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from . import codes, columns, delimited, kept, records
from .kept import Column
from .values import Look

if TYPE_CHECKING:
    from .lean import Large

_LOOKED_AT = 2_000  # values of a text, before it is taken for one


class Unlike(Exception):
    """The file is not what can be read in steps."""


class Survey:
    """One look at all rows."""

    def __init__(self, large: Large) -> None:
        self._large = large
        self._kinds: dict[str, set[str]] = {}
        self._low: dict[str, float] = {}
        self._high: dict[str, float] = {}
        self._broken: set[str] = set()  # columns with decimals

    def settle(self) -> None:
        """Puts rows and columns into the file. Raises what pandas does, or Unlike."""
        large = self._large
        plain = self._plain()
        doubtful = [name for name in large.body.names if name not in plain]
        for step in large.steps(dtype=dict.fromkeys(plain, object)):
            large.rows += len(step)
            large.narrow |= not step.iloc[:, -1].notna().any()
            for name in doubtful:
                self._note(name, step[name])
        if not large.rows:
            raise Unlike
        settled = {name: kept.combined(self._kinds.get(name, set())) for name in doubtful}
        texts = [name for name in doubtful if not settled[name]]
        texts = self._codes([name for name in doubtful if name not in texts], texts, settled)
        looks = {name: look for name in texts if (look := columns.look(large.text(name).tolist()))}
        found = self._notations(looks)
        for name in large.body.names:
            sort = "text" if name in plain or name in texts else settled[name]
            large.columns[name] = found.get(name) or Column(sort)
        if columns.shows_comma(looks.values()) or any(column.decimal == "," for column in found.values()):
            self._regroup()

    def _plain(self) -> set[str]:
        """The columns whose first values show that they are text and stay it."""
        first = next(self._large.steps())
        plain = set()
        for name in self._large.body.names:
            some = first[name].dropna()
            if isinstance(first[name].dtype, pd.StringDtype) and columns.stays_text(some.iloc[:_LOOKED_AT].tolist()):
                plain.add(name)
        return plain

    def _note(self, name: str, read: pd.Series[Any]) -> None:
        kinds = self._kinds.setdefault(name, set())
        kind = kept.kind(read)
        kinds.add(kind)
        if kind not in ("int", "float"):
            return
        cells = read.to_numpy()
        low, high = _low_high(cells)
        self._low[name] = min(low, self._low.get(name, np.inf))
        self._high[name] = max(high, self._high.get(name, -np.inf))
        if kind == "float" and name not in self._broken:
            present = cells[~np.isnan(cells)]
            if (present != np.floor(present)).any():
                self._broken.add(name)

    def _codes(self, numbers: list[str], texts: list[str], settled: dict[str, str]) -> list[str]:
        """Settles which columns hold numbers that only name things; gives the other texts."""
        zeros = _leading(self._large)
        suspects = [name for name in texts if "big" in self._kinds[name]]
        for name in numbers:
            low, high = self._low.get(name, np.inf), self._high.get(name, -np.inf)
            far = low <= high and codes.out_of_line(low, high)
            if far or (name in zeros and name in self._low and name not in self._broken):
                suspects.append(name)
        told = {name: codes.NamesOnly() for name in suspects}
        for step in self._large.steps(suspects, str) if suspects else ():
            for name in suspects:
                told[name].add(step[name])
        named = {name for name in suspects if told[name].true()}
        settled.update(dict.fromkeys(named, "code"))
        return [name for name in texts if name not in named]

    def _notations(self, looks: dict[str, Look]) -> dict[str, Column]:
        """The columns of numbers and dates in another notation."""
        comma = columns.decimal_comma(looks.values(), self._large.body.dialect.delimiter)
        made: dict[str, Column] = {}
        for name, look in looks.items():
            found = columns.Findings()
            frame = pd.DataFrame({name: self._large.text(name)})
            columns.refine_one(frame, name, look, comma, found)
            if name in found.marks:
                group, decimal = found.marks[name]
                made[name] = Column("number", frame[name].dtype.kind == "i", group, decimal)
            elif name in found.formats:
                made[name] = Column("date", format=found.formats[name])
        return made

    def _regroup(self) -> None:
        """In a file with decimal commas, "1.234" alone in a column is a thousand."""
        for name, column in self._large.columns.items():
            if column.sort != "float64":
                continue
            text = self._large.text(name)
            if delimited.thousands(text):
                whole = not text.isna().any()
                self._large.columns[name] = Column("number", whole, r"\.", ".")


def _leading(large: Large) -> set[str]:
    """The columns that have a number with a zero before it; all when that is not plain to see."""
    if not records.leading_zero(large.data, large.body.dialect.delimiter):
        return set()
    if large.data.find(b'"', large.start) >= 0 or large.body.dialect.spaced:
        return set(large.body.names)
    places = records.leading_zeros(large.data, large.start, large.body.dialect.delimiter)
    return {name for at, name in enumerate(large.body.names) if at in places}


def _low_high(cells: np.ndarray) -> tuple[float, float]:
    """Between what numbers lie; nothing is between infinity and its opposite."""
    present = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
    return (present.min(), present.max()) if len(present) else (np.inf, -np.inf)
