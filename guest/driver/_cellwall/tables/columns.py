"""What a column of text really is: numbers in another notation, dates that
pandas would misread, identifiers, or a mix that only the analyst can clean.

A column is converted only when every value of it fits one notation. ISO dates
stay text: `pd.to_datetime` reads them rightly, and so does code that slices them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from . import names, values
from .values import Look

_PROBE = 40
_SAMPLE = 2_000
_ENGLISH = frozenset(("plain", "point", "comma3", "english"))
_GERMAN = frozenset(("plain", "comma3", "comma", "german"))
_DIGITS = frozenset(("digits", "plain", "point"))
# Dates that pandas refuses or reads with month and day exchanged.
_FORMATS = {"d.m.y": "%d.%m.%Y", "年月日": "%Y年%m月%d日"}
_READ_RIGHTLY = frozenset(("iso date", "iso time", "time with zone", "y/m/d"))
_ID_NAME = re.compile(
    r"(?:^|.*[_\W])(?i:id|ids|uuid|zip|postcode|plz|phone|mobile|tel|sku|isbn|ean|iban|ssn|no|nr)"
    r"|.*(?:编号|单号|订单号|邮编|电话|手机号?|身份证号?|卡号|账号|工号|学号|編號|單號|電話|番号)"
    r"|.*[a-z](?:Id|ID)"
)


@dataclass(slots=True)
class Findings:
    """What was noticed about the columns of a table."""

    kinds: dict[str, str] = field(default_factory=dict)
    decimal: str = ""
    thousands: str = ""
    pointed: bool = False  # text of the file shows that its decimal mark is a point
    warnings: list[str] = field(default_factory=list)
    converted: set[str] = field(default_factory=set)  # columns that became numbers
    marks: dict[str, tuple[str, str]] = field(default_factory=dict)  # of those: pattern of groups, decimal mark
    formats: dict[str, str] = field(default_factory=dict)  # of columns that became dates


def named_like_identifier(name: str) -> bool:
    """Reports whether a column's name says that its numbers only name things."""
    return _ID_NAME.fullmatch(name) is not None


def refine(frame: pd.DataFrame, delimiter: str = "", series: dict[str, pd.Series[Any]] | None = None) -> Findings:
    """Converts text columns of the frame in place and says what they are.

    The delimiter decides whether "1,234" in a column of nothing else is one
    thousand (in a file with commas between fields) or a decimal comma.
    `series` are the frame's columns for who has them already; they are kept
    up to date.
    """
    found = Findings()
    looks: dict[str, Look] = {}
    for name, column in (frame if series is None else series).items():
        dtype = column.dtype
        if isinstance(dtype, pd.StringDtype):
            if seen := look(column.tolist()):
                looks[name] = seen
        elif dtype.kind in "iu" and named_like_identifier(name):
            found.kinds[name] = "identifier"
    if not looks:
        return found
    comma_decimal = decimal_comma(looks.values(), delimiter)
    for name, seen in looks.items():
        refine_one(frame, name, seen, comma_decimal, found)
        if series is not None:
            series[name] = frame[name]
    if shows_comma(looks.values()):
        found.decimal = ","
    found.pointed = any(seen.notations & {"point", "english"} for seen in looks.values())
    return found


def decimal_comma(looks: Iterable[Look], delimiter: str) -> bool:
    """Reports whether "1,234" is a little more than one in this file."""
    return delimiter == ";" or shows_comma(looks)


def shows_comma(looks: Iterable[Look]) -> bool:
    """Reports whether a column proves that the decimal mark is a comma, be it with a currency or percent sign."""
    return any(s.notations & {"comma", "german"} for s in looks if s.notations <= _GERMAN)


def stays_text(some: Iterable[str]) -> bool:
    """Reports whether some values of a column show that it is text and says nothing of numbers."""
    seen = values.look(some)
    if len(seen.sorts) == 1 and seen.sorts <= values.DATES - _READ_RIGHTLY:
        return False
    return not seen.notations or not (seen.notations <= _GERMAN or seen.sorts <= _ENGLISH)


def look(column: list[Any]) -> Look | None:
    """Looks at a sample; None when the column is plainly text."""
    few = [v for v in column[:: len(column) // _PROBE + 1] if isinstance(v, str)]
    first = values.look(few)
    if few and first.counts["text"] > 0.8 * len(few):
        return None
    if len(first.counts) == 1 and first.sorts <= values.DATES:
        every = [v for v in column if v == v]  # a missing value is not equal to itself
        if values.all_are(next(iter(first.counts)), every):
            return first
    seen = values.look(v for v in column[:: len(column) // _SAMPLE + 1] if isinstance(v, str))
    return seen if seen.counts else None


def refine_one(frame: pd.DataFrame, name: str, seen: Look, comma_decimal: bool, found: Findings) -> None:
    sorts = seen.sorts
    if sorts <= _GERMAN and (sorts & {"comma", "german"} or (comma_decimal and sorts & {"comma3"})):
        if _as_number(frame, name, found, ","):
            return
    elif sorts <= _ENGLISH and sorts & {"comma3", "english"} and _as_number(frame, name, found, "."):
        return
    if len(sorts) == 1 and sorts <= values.DATES:
        _as_date(frame, name, next(iter(sorts)), found)
    elif _is_identifier(frame[name], seen):
        found.kinds[name] = "identifier"
    elif sorts == {"percent"} or sorts == {"currency"}:
        found.kinds[name] = next(iter(sorts))
        found.warnings.append(f"column {names.quoted(name)} is text: {_listed(seen)}")
    elif seen.share(values.DATES) >= 0.5 or seen.share(values.NUMBERS) >= 0.5:
        found.kinds[name] = "mixed"
        found.warnings.append(f"column {names.quoted(name)} is mixed and stays text: {_listed(seen)}")


def _is_identifier(column: pd.Series[Any], seen: Look) -> bool:
    if seen.share(_DIGITS) < 0.9 or ("text" in seen.sorts and seen.counts["digits"] < 1):
        return False
    few = [v.strip() for v in column.iloc[:400].tolist() if isinstance(v, str)]
    return all(v.isdigit() or (v[:-1].isdigit() and v[-1] in "xX") for v in few)


def _listed(seen: Look) -> str:
    """Says in words which notations occur, the most frequent first."""
    parts: dict[str, tuple[int, str]] = {}
    for sort, n in seen.counts.most_common():
        words = values.WORDS.get(sort, sort)
        before, example = parts.get(words, (0, seen.examples[sort][:30]))
        parts[words] = (before + n, example)
    return ", ".join(f"{words} {n} (e.g. {example!r})" for words, (n, example) in parts.items())


def _as_number(frame: pd.DataFrame, name: str, found: Findings, decimal: str) -> bool:
    """Converts a whole column; leaves it alone when one value does not fit."""
    text = frame[name].str.strip()
    group = r"[,]" if decimal == "." else r"[.\u00a0\u202f'’ ]"
    whole = rf"[+-]?(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)(?:[{decimal}]\d*)?|[+-]?[{decimal}]\d+"
    present = text.dropna()
    if not present.str.fullmatch(whole).all():
        return False
    grouped = present.str.contains(rf"{group}\d{{3}}(?!\d)", regex=True)
    if grouped.any():
        mark = re.search(group, str(present[grouped].iloc[0]))
        found.thousands = mark.group() if mark else ""
    clean = text.str.replace(group, "", regex=True)
    frame[name] = pd.to_numeric(clean.str.replace(",", ".") if decimal == "," else clean)
    if decimal == ",":
        found.decimal = ","
    found.converted.add(name)
    found.marks[name] = (group, decimal)
    found.warnings.append(f"column {names.quoted(name)}: text such as {present.iloc[0]!r} was read as numbers")
    return True


def _as_date(frame: pd.DataFrame, name: str, sort: str, found: Findings) -> None:
    found.kinds[name] = "date"
    if sort in _READ_RIGHTLY:
        return
    written = _FORMATS.get(sort) or (_slashed(frame[name]) if sort == "d/m/y or m/d/y" else "")
    if written:
        try:
            frame[name] = pd.to_datetime(frame[name].str.strip(), format=written)
        except ValueError:
            found.kinds[name] = "mixed"
            found.warnings.append(
                f"column {names.quoted(name)} has dates written {sort} and values that are none; it stays text"
            )
            return
        found.formats[name] = written
        found.warnings.append(f"column {names.quoted(name)}: dates written {sort} were read as {written}")
    elif sort == "d/m/y or m/d/y":
        found.warnings.append(
            f"column {names.quoted(name)} has dates that may be day/month or month/day; it stays text"
        )


def _slashed(column: pd.Series[Any]) -> str:
    """The order of day and month when a value proves it, else ""."""
    parts = column.dropna().str.strip().str.extract(r"^(\d+)/(\d+)/\d+$").astype("float64")
    first, second = parts[0].max(), parts[1].max()
    if first > 12 >= second:
        return "%d/%m/%Y"
    return "%m/%d/%Y" if second > 12 >= first else ""
