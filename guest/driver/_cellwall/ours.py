"""What a program of ours works on: tables that it reads as far as it needs them.

A model's program has df and dfs, with as many rows as the limit says. Ours sees
every row; a large file would not fit, so it stays where it is until a program
says which columns it wants.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from .tables import views

if TYPE_CHECKING:
    from .inputs import Loaded
    from .tables.lean import Large

_OURS = 160 << 20  # bytes that the interpreter and what it has imported take
_LEAST = 64 << 20


class Sources:
    """The tables by their key in dfs."""

    def __init__(self, loaded: Loaded, memory: int = 0) -> None:
        self.frames = loaded.frames
        self.first = loaded.first
        self.large: dict[str, Large] = loaded.large
        self._memory = memory

    def table(self, key: str | None, columns: Iterable[str]) -> pd.DataFrame:
        """A table with at least these columns; None is df. Raises KeyError for one that is not there."""
        frame = self.first if key is None else self.frames[key]
        if frame is None:
            raise KeyError("there are no data")
        found = next((large for name, large in self.large.items() if self.frames[name] is frame), None)
        if found is None:
            return frame
        wanted = list(dict.fromkeys(columns))
        frame[wanted]  # tells of one that is not there as pandas does
        return found.frame(wanted)

    def attach(self, connection: Any, whole: bool) -> bool:
        """Gives DuckDB every table: large ones as files that it reads, or, whole, as frames.

        Tells whether there is one that it reads.
        """
        read = {key: large for key, large in self.large.items() if not whole and views.straight(large)}
        links = {key: os.path.join(tempfile.gettempdir(), f"table_{at}.csv") for at, key in enumerate(read)}
        real = [os.path.realpath(large.path) for large in read.values()]  # DuckDB looks where a link leads
        left = self._memory - _OURS - self._written()
        views.allow(connection, [*links.values(), *real], max(left, _LEAST) if self._memory else 0)
        for key, frame in self.frames.items():
            names = [key] if frame is not self.first or "df" in self.frames else [key, "df"]
            if key in read and views.view(connection, read[key], key, links[key]):
                for name in names[1:]:
                    connection.execute(f"CREATE VIEW {views.quoted(name)} AS SELECT * FROM {views.quoted(key)}")
                continue
            given = self.large[key].frame() if key in self.large else frame
            read.pop(key, None)
            for name in names:
                connection.register(name, given)
        return bool(read)

    def _written(self) -> int:
        """Bytes of files that were written anew: they lie in memory."""
        return sum(len(large.data) for large in self.large.values() if large.path.startswith(tempfile.gettempdir()))
