"""What the readers of this package hand to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

ALL, RANDOM, HEAD = "all", "random seed 42", "head"
_SEED = 42


@dataclass(slots=True)
class Table:
    """One table of a file. `rows` counts the file, the frame what is given."""

    frame: pd.DataFrame
    rows: int
    name: str = ""  # of the sheet or key; "" = the file's only table
    header_row: int = 0  # 1 = the first row; 0 = there is none
    sample: str = ALL
    kinds: dict[str, str] = field(default_factory=dict)  # by column, when noticed
    # The frame's columns, when the reader had them in its hands: taking one out
    # of a frame costs more than looking at it.
    series: dict[str, pd.Series[Any]] | None = None


@dataclass(slots=True)
class Parsed:
    """A whole file as its reader saw it."""

    format: str
    tables: list[Table]
    encoding: str = ""
    delimiter: str = ""
    decimal: str = ""
    thousands: str = ""
    sheets: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Loaded:
    """Frames by their key in `dfs`, and the description without id and hash."""

    frames: dict[str, pd.DataFrame]
    description: dict[str, object]


@dataclass(frozen=True, slots=True)
class Limit:
    """How many rows of a table are given, and which."""

    rows: int
    sample: str = "random"  # or "head"

    def label(self, total: int) -> str:
        """Says in the words of the description what `pick` does."""
        if total <= self.rows:
            return ALL
        return HEAD if self.sample == "head" else RANDOM

    def pick(self, total: int) -> np.ndarray | None:
        """Gives the positions to keep in file order; None means all.

        The draw is that of `frame.sample(rows, random_state=42)`, so that who
        has the whole file can repeat it.
        """
        if total <= self.rows:
            return None
        if self.sample == "head":
            return np.arange(self.rows)
        drawn = np.random.RandomState(_SEED).choice(total, size=self.rows, replace=False)
        drawn.sort()
        return drawn

    def cut(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Applies `pick` to a frame that holds every row."""
        kept = self.pick(len(frame))
        return frame if kept is None else frame.iloc[kept].reset_index(drop=True)
