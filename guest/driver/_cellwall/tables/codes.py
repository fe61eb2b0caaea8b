"""Numbers that only name things: with leading zeros, of 16 digits and more, phones."""

from __future__ import annotations

from typing import Any

import pandas as pd

_EXACT = 1e15  # from 16 digits on a float may lose some, and they mean an identifier
_PHONES = (13_000_000_000, 19_999_999_999)


class NamesOnly:
    """Whether the numbers of a column, told in one or several pieces, only name things."""

    def __init__(self) -> None:
        self._present = self._long = self._padded = False
        self._digits = self._phones = True

    def add(self, text: pd.Series[Any]) -> None:
        """Takes values as they are written."""
        present = pd.Series(text.dropna().unique(), dtype="str").str.strip()
        self._present |= bool(len(present))
        self._long |= bool(present.str.fullmatch(r"[+-]?\d{16,}").any())
        self._padded |= bool(present.str.fullmatch(r"0\d+").any())
        self._digits &= bool(present.str.fullmatch(r"\d+").all())
        self._phones &= bool(present.str.fullmatch(r"1[3-9]\d{9}").all())

    def true(self) -> bool:
        """The answer for all of them."""
        return self._present and (self._long or (self._padded and self._digits) or self._phones)


def out_of_line(low: Any, high: Any) -> bool:
    """Reports whether numbers between these may be names of things."""
    return bool(high >= _EXACT or low <= -_EXACT or (low >= _PHONES[0] and high <= _PHONES[1]))
