"""Column names that can be typed: no control characters, none twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 200
_NOISE = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def quoted(name: object) -> str:
    """A name inside a sentence: in quotation marks that it cannot close."""
    return '"' + str(name).replace('"', "'") + '"'


def tidy(raw: Iterable[object], warnings: list[str]) -> list[str]:
    """Makes names unique in the way of pandas ("a", "a.1"; "Unnamed: 3")."""
    names: list[str] = []
    seen: set[str] = set()
    twice: list[str] = []
    changed = False
    for i, value in enumerate(raw):
        text = "" if value is None else str(value)
        name = _NOISE.sub(" ", text).strip().encode("utf-8", "replace").decode()[:_LONGEST]
        changed = changed or name != text
        name = name or f"Unnamed: {i}"
        base, n = name, 0
        while name in seen:
            n += 1
            name = f"{base}.{n}"
        if n:
            twice.append(base)
        seen.add(name)
        names.append(name)
    if twice:
        warnings.append(f"column names occur twice and were numbered: {', '.join(map(quoted, dict.fromkeys(twice)))}")
    if changed:
        warnings.append("spaces and control characters around or inside column names were removed")
    return names
