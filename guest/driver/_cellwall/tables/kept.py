"""How one column of a large file is read, in Python and in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")  # which DuckDB's patterns do not know
_SQL = {"int64": "BIGINT", "float64": "DOUBLE", "bool": "BOOLEAN", "truth": "BOOLEAN"}


@dataclass(frozen=True, slots=True)
class Column:
    """What becomes of the values of a column.

    sort is int64, float64 or bool; truth: bool with gaps; text; code: text without
    spaces around it; number: text in another notation, of which group and decimal
    tell; date: text in a format.
    """

    sort: str
    whole: bool = False  # of a number: it has no decimals
    group: str = ""  # a pattern
    decimal: str = ""
    format: str = ""

    def reads(self) -> Any:
        """What pandas is to read it as; None = what it finds."""
        if self.sort == "truth":
            return None
        return str if self.sort in ("text", "code", "number", "date") else self.sort

    def dtype(self) -> Any:
        """Of the column that is made."""
        if self.sort == "number":
            return "int64" if self.whole else "float64"
        return {"truth": "object", "text": "str", "code": "str", "date": "datetime64[us]"}.get(self.sort, self.sort)

    def made(self, read: pd.Series[Any]) -> pd.Series[Any]:
        """The column from what pandas has read."""
        if self.sort == "truth":
            return read.astype("object")
        if self.sort == "code":
            return read.str.strip()
        if self.sort == "date":
            return pd.to_datetime(read.str.strip(), format=self.format)
        if self.sort == "number":
            clean = read.str.strip().str.replace(self.group, "", regex=True)
            return pd.to_numeric(clean.str.replace(",", ".") if self.decimal == "," else clean).astype(self.dtype())
        return read

    def given(self) -> str:
        """The type that DuckDB's reader is to read it as."""
        return _SQL.get(self.sort, "VARCHAR")

    def sql(self, name: str) -> str:
        """The column as an expression of what that reader gives; name is quoted already."""
        bare = f"trim({name}, ' ' || chr(9))"
        if self.sort == "code":
            return bare
        if self.sort == "date":
            return f"strptime({bare}, '{self.format}')"
        if self.sort == "float64":  # a missing number and none that can be told are one in pandas
            return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END"
        if self.sort == "number":
            group = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), self.group).replace("'", "''")
            clean = f"regexp_replace({bare}, '{group}', '', 'g')"
            if self.decimal == ",":
                clean = f"replace({clean}, ',', '.')"
            return f"CAST({clean} AS {'BIGINT' if self.whole else 'DOUBLE'})"
        return name


def combined(kinds: set[str]) -> str:
    """What a column is whose steps were read as these; "" when only its text can tell.

    A step is int, float, bool, truth (bool with gaps), none (nothing is there), text, big.
    """
    if not kinds & {"text", "big"}:
        if kinds <= {"int"} and kinds:
            return "int64"
        if kinds <= {"int", "float", "none"}:
            return "float64"
        if kinds <= {"bool"}:
            return "bool"
        if kinds <= {"bool", "truth", "none"}:
            return "truth"
    return ""


def kind(read: pd.Series[Any]) -> str:
    """What a step of a column was read as."""
    letter = read.dtype.kind if isinstance(read.dtype, np.dtype) else "T"
    if letter == "f":
        return "float" if read.notna().any() else "none"
    if letter == "O":
        return "truth" if all(isinstance(v, bool) or v != v for v in read) else "big"
    return {"i": "int", "u": "big", "b": "bool"}.get(letter, "text")
