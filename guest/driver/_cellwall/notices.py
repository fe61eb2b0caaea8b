"""Things worth a warning that only the inside can see. Each must be true.

They come from the program's syntax tree and from what is alive at its end; the
one hook is the row count of a merge. Anything doubtful stays unsaid: a warning
that is wrong once is not read the second time.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

import pandas as pd
from pandas.core.reshape import merge

from . import facts, tabular, values
from .inputs import Loaded
from .program import Program

TABLES = 8  # told when the code failed
COLUMNS = 200  # of each
JOINS = 5  # notices of one kind

Notice = Callable[[str, dict[str, str]], None]


class Observer:
    """Watches one run."""

    def __init__(self, notice: Notice) -> None:
        self._notice = notice
        self.inputs = Loaded()
        self.joins = 0

    def joined(self, left: int, right: int, rows: int) -> None:
        """A merge gave more rows than either side had."""
        self.joins += 1
        if self.joins <= JOINS:
            self._notice("join_multiplied", {"left": str(left), "right": str(right), "rows": str(rows)})

    def finish(self, program: Program | None, names: dict[str, Any], value: Any) -> None:
        """Sends what the ended program deserves. Never raises."""
        if program is None:
            return
        try:
            self._finish(program, names, value)
        except BaseException:  # a hostile value; its owner misses a warning
            return

    def _finish(self, program: Program, names: dict[str, Any], value: Any) -> None:
        # Walking the tree takes a sixth of a small program's time: only where
        # there is something that it could tell.
        odd = any(_is_number(v) and facts.not_finite(v) for v in list(names.values()))
        said = facts.read(program.tree) if odd or self.inputs.first is not None else facts.Facts()
        self._answers(program, said, names, value)
        if not said.aggregates or self.inputs.first is None:
            return
        columns = [c for d in self.inputs.descriptions for c in _columns(d)]
        self._missing(said, columns)
        self._identifiers(said, columns)
        self._total_rows(said, names)

    def _answers(self, program: Program, said: facts.Facts, names: dict[str, Any], value: Any) -> None:
        """Results and printed numbers that are no numbers, and results without rows."""
        told: dict[str, str] = {}
        if value is not None:
            odd = facts.not_finite(value)
            if odd and program.value is not None:
                told[values.cut(ast.unparse(program.value), 80)] = odd
            if facts.is_empty(value):
                self._notice("empty_result", {})
        for name in said.printed:
            printed = names.get(name)
            if _is_number(printed):
                odd = facts.not_finite(printed)
                if odd:
                    told.setdefault(name, odd)
        for name, odd in list(told.items())[:JOINS]:
            self._notice("not_finite", {"name": name, "value": odd})

    def _missing(self, said: facts.Facts, columns: list[dict[str, Any]]) -> None:
        if said.handles_missing or said.rebinds_df:
            return
        gaps = [str(c["name"]) for c in columns if c.get("missing") and str(c["name"]) in said.words]
        if gaps:
            shown = ", ".join(values.cut(name, 100) for name in list(dict.fromkeys(gaps))[:20])
            self._notice("missing_values", {"columns": shown})

    def _identifiers(self, said: facts.Facts, columns: list[dict[str, Any]]) -> None:
        marked = {str(c["name"]) for c in columns if c.get("kind") == "identifier"}
        known = {str(c["name"]) for c in columns}
        for name in list(said.summed)[:50]:
            if name in marked or (name in known and facts.names_identifier(name)):
                self._notice("sum_of_identifiers", {"column": values.cut(name, 100)})

    def _total_rows(self, said: facts.Facts, names: dict[str, Any]) -> None:
        if said.rebinds_df or said.drops_rows:
            return
        for name, frame in self.inputs.frames.items():
            shown = "df" if frame is self.inputs.first else name
            found = facts.total_row(frame)
            if found is None:
                continue
            label, column = found
            if label in said.words or not any(word in said.words for word in (column, shown, "df")):
                continue
            self._notice(
                "total_row",
                {"table": values.cut(shown, 100), "row": values.cut(label, 100), "column": values.cut(column, 100)},
            )
            return


def _is_number(value: Any) -> bool:
    return type(value).__name__ in ("float", "float64", "float32")


def _columns(description: dict[str, Any]) -> list[dict[str, Any]]:
    found = list(description.get("columns") or ())
    for table in description.get("tables") or ():
        found.extend(table.get("columns") or ())
    return found


_observer: list[Observer] = []


def begin(observer: Observer) -> None:
    """Makes observer the one that hooks report to."""
    _observer[:] = [observer]


def end() -> None:
    """Forgets the run that begin named."""
    _observer.clear()


def install() -> None:
    """Hooks the one operation whose sizes are gone afterwards. Once, in the zygote."""
    plain = merge._MergeOperation.get_result
    crossed = getattr(merge, "_CrossMergeOperation", ())

    @functools.wraps(plain)
    def get_result(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = plain(self, *args, **kwargs)
        if _observer:
            left, right = len(self.orig_left), len(self.orig_right)
            most = left + right if self.how == "outer" else max(left, right)
            if len(result) > most and not isinstance(self, crossed):
                _observer[0].joined(left, right, len(result))
        return result

    merge._MergeOperation.get_result = get_result


def tables(names: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables alive in a namespace: df first, then the others by name of birth."""
    found: list[dict[str, Any]] = []
    seen: set[int] = set()
    order = ["df", *(name for name in list(names) if name != "df")]
    for name in order:
        frame = names.get(name)
        if type(name) is not str or name.startswith("_") or id(frame) in seen:
            continue
        if issubclass(type(frame), pd.DataFrame) and len(found) < TABLES:  # isinstance would ask the value itself
            seen.add(id(frame))
            try:
                found.append(_table(name, frame))
            except BaseException:
                continue
    return found


def _table(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    return {
        "name": values.cut(name, 100),
        "columns": [tabular.label(column) for column in frame.columns[:COLUMNS]],
        "dtypes": [str(dtype)[:100] for dtype in frame.dtypes.iloc[:COLUMNS]],
        "rows": len(frame),
    }
