"""Says what a text value looks like, one regular expression for all sorts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

# Ends of groups of thousands in texts whose decimal mark is a comma.
_GROUP = r"[.\u00a0\u202f'’ ]"
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_CLOCK = r"[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?"

_SORTS = (
    ("digits", r"\d{15,}[xX]?|0\d+"),
    ("point", r"[+-]?(?![1-9]\d{0,2}\.\d{3}\Z)(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?"),  # "1.234" may be a thousand
    ("plain", r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"),
    ("comma3", r"[+-]?\d{1,3},\d{3}"),  # thousands, or three decimals
    ("english", r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    ("comma", r"[+-]?\d+,\d+"),
    ("german", rf"[+-]?\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:,\d+)?"),
    ("percent", r"[+-]?\d[\d.,]*\s*[%％]"),
    ("currency", r"[+-]?[¥￥$€£]\s*[+-]?\d[\d.,]*|[+-]?\d[\d.,]*\s*(?:[¥￥$€£元]|EUR|USD|CNY|RMB|GBP)"),
    ("iso date", r"\d{4}-\d{2}-\d{2}"),
    ("iso time", rf"\d{{4}}-\d{{2}}-\d{{2}}{_CLOCK}"),
    ("time with zone", rf"\d{{4}}-\d{{2}}-\d{{2}}{_CLOCK}\s*(?:Z|[+-]\d\d:?\d\d)"),
    ("y/m/d", r"\d{4}/\d{1,2}/\d{1,2}"),
    ("d.m.y", r"\d{1,2}\.\d{1,2}\.\d{4}"),
    ("d/m/y or m/d/y", r"\d{1,2}/\d{1,2}/\d{4}"),
    ("年月日", r"\d{4}年\d{1,2}月\d{1,2}日"),
    ("date with month name", rf"(?i:\d{{1,2}}[ -]{_MONTH}[ -]\d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"),
    ("placeholder", r"(?i:-+|[—–/?.]+|n/?a|nan|null|none|nil|unknown|tbd|k\.\s?a\.|暂无|无|空|未知|待定|缺失|不详)"),
)
_ANY = re.compile("|".join(f"(?P<s{i}>{pattern})" for i, (_, pattern) in enumerate(_SORTS)))
_NAME = {f"s{i}": name for i, (name, _) in enumerate(_SORTS)}

_DATE = {name: re.compile(pattern).fullmatch for name, pattern in _SORTS[9:17]}
# How the sorts are called in a warning.
WORDS = {
    "plain": "plain numbers", "point": "plain numbers",
    "digits": "digits", "comma3": "commas for thousands", "english": "commas for thousands",
    "comma": "decimal commas", "german": "dots or spaces for thousands", "percent": "percentages",
    "currency": "with a currency sign", "iso date": "ISO dates", "iso time": "ISO times",
    "time with zone": "times with a zone", "placeholder": "placeholders for missing",
}  # fmt: skip
_BETWEEN = "\x00"
_RUN = {name: re.compile(rf"(?>(?:{pattern})\x00)*+").fullmatch for name, pattern in _SORTS[9:17]}
NUMBERS = frozenset(("plain", "point", "comma3", "english", "comma", "german", "percent", "currency"))
DATES = frozenset(name for name, _ in _SORTS[9:17])
_SIGNED = frozenset(("percent", "currency"))
_SIGN = re.compile(r"[¥￥$€£元%％\s]|EUR|USD|CNY|RMB|GBP")


@dataclass(slots=True)
class Look:
    """How often each sort occurs, and one example of each."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)  # sorts of the numbers beside a currency or percent sign

    def share(self, sorts: frozenset[str]) -> float:
        """The share of values that are of one of these sorts."""
        total = self.counts.total()
        return sum(self.counts[s] for s in sorts) / total if total else 0.0

    @property
    def sorts(self) -> set[str]:
        """The sorts that occur."""
        return set(self.counts)

    @property
    def notations(self) -> set[str]:
        """The sorts that occur, those of numbers without their signs; what is missing is none."""
        return self.counts.keys() - _SIGNED - {"placeholder"} | self.bare


def all_are(sort: str, values: list[str]) -> bool:
    """Reports whether every value is of one sort of date: one match for all."""
    return _RUN[sort](_BETWEEN.join(values) + _BETWEEN) is not None


def look(values: Iterable[str]) -> Look:
    """Classifies values; "text" is what no sort matches."""
    seen = Look()
    counts, examples = seen.counts, seen.examples
    name, again = "", None  # dates come in runs: try the sort of the one before first
    for value, n in Counter(values).items():
        if again is None or not again(value):
            name = _sort(value.strip())
            again = _DATE.get(name)
            if name in _SIGNED:
                seen.bare.add(_sort(_SIGN.sub("", value)))
        counts[name] += n
        if name not in examples:
            examples[name] = value
    return seen


def _sort(value: str) -> str:
    m = _ANY.fullmatch(value)
    return _NAME[m.lastgroup] if m and m.lastgroup else "text"
