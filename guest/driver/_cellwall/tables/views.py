"""Large files as DuckDB reads them by itself, typed as Python would have them.

DuckDB's reader and pandas' split the same rows the same way only where a text
is plain; `straight` says whether it is. The connection may open the files of
its views and no others, and writes nothing to a disk.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
from pandas._libs.parsers import STR_NA_VALUES

from . import records
from .lean import Large

_STEP = 4 << 20
_BLANK = re.compile(rb"[\r\n][ \t]+[\r\n]")
_LONGEST = 16 << 20  # bytes of a line


def straight(large: Large) -> bool:
    """Reports whether DuckDB would find the rows that pandas finds."""
    dialect, head = large.body.dialect, bytes(large.data[: large.start])
    if dialect.spaced or not dialect.delimiter or (b'"' in head and head.count(b"\n") > 1):
        return False
    breaks = returns = 0
    cells = np.frombuffer(large.data, np.uint8)
    for at in range(0, len(cells), _STEP):
        step = cells[at : at + _STEP]
        breaks += int(np.count_nonzero(step == 10))
        returns += int(np.count_nonzero(step == 13))
    if returns and (returns != breaks or _bare(cells)):
        return False
    return not _BLANK.search(large.data, max(large.start - 1, 0)) and not records.stray_quotes(
        large.data, large.start, dialect.delimiter
    )


def _bare(cells: np.ndarray) -> bool:
    """Reports whether a carriage return stands without its line feed."""
    for at in range(0, len(cells), _STEP):
        step = cells[at : at + _STEP + 1]
        after = np.flatnonzero(step[:_STEP] == 13) + 1
        if (after >= len(step)).any() or (step[after] != 10).any():
            return True
    return False


def allow(connection: Any, paths: list[str], memory: int) -> None:
    """Bounds what SQL of the connection can do: these files, this memory, no disk."""
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute("SET autoload_known_extensions = false")
    connection.execute("SET temp_directory = ''")
    if memory:
        connection.execute(f"SET memory_limit = '{memory >> 20}MiB'")
    if paths:
        connection.execute(f"SET allowed_paths = [{', '.join(map(_text, paths))}]")
    connection.execute("SET enable_external_access = false")


def view(connection: Any, large: Large, name: str, link: str) -> bool:
    """Makes the table of a file, which is also found under link, a name without wildcards.

    False when its rows are others after all; there is no table then. (DuckDB 2.0.1 finds none,
    and no error, where it is told of line ends that the text has.)
    """
    import duckdb

    if not os.path.lexists(link):
        os.symlink(large.path, link)
    given = {column: quoted(f"c{at}") for at, column in enumerate(large.columns)}
    types = ", ".join(f"{_text(f'c{at}')}: '{c.given()}'" for at, c in enumerate(large.columns.values()))
    shown = ", ".join(f"{c.sql(given[n])} AS {quoted(n)}" for n, c in large.columns.items())
    missing = ", ".join(map(_text, sorted(STR_NA_VALUES)))
    skip = bytes(large.data[: large.start]).count(b"\n")
    connection.execute(
        f"CREATE VIEW {quoted(name)} AS SELECT {shown} FROM read_csv({_text(link)}, auto_detect = false, "
        f"header = false, skip = {skip}, delim = {_text(large.body.dialect.delimiter)}, quote = '\"', escape = '\"', "
        f"nullstr = [{missing}], null_padding = true, strict_mode = true, parallel = false, "
        f"max_line_size = {_LONGEST}, columns = {{{types}}})"
    )
    try:
        ((rows,),) = connection.sql(f"SELECT count(*) FROM {quoted(name)}").fetchall()
    except duckdb.Error:  # the text is not as strict as it wants it
        rows = -1
    if rows == large.rows:
        return True
    connection.execute(f"DROP VIEW {quoted(name)}")
    return False


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
