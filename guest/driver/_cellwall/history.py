"""In, Out and the underscores, as notebooks know them, and the source of every cell.

All bounded: a long session must not grow by what nobody looks at any more.
"""

from __future__ import annotations

import linecache
from collections import deque
from typing import Any

from . import errors, figures, program, questions

CELLS = 1_000  # whose source is kept
CHARACTERS = 4_000_000  # of source that is kept
VALUES = 100  # in Out
BYTES = 32 << 20  # of all values in Out; the newest stays whatever it holds
_FIGURE = 4 << 20  # bytes of what a chart holds, pixels included


class History:
    """What the cells of one session were and what they gave."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._inputs: list[str] = [""]
        self._outputs: dict[int, Any] = {}
        self._cells: deque[tuple[int, str, str]] = deque()
        self._characters = 0
        self._order: deque[tuple[int, int]] = deque()  # numbers in Out, and bytes
        self._bytes = 0
        self._last: list[Any] = ["", "", ""]
        self._places = [0, 0, 0]  # in Out, of what _, __ and ___ are in a session that has come from another
        names.update(In=self._inputs, Out=self._outputs, _="", __="", ___="", _i="", _ii="", _iii="")

    def begin(self, count: int, file: str, text: str) -> None:
        """A cell is about to run."""
        names, inputs = self._names, self._inputs
        names["_iii"], names["_ii"], names["_i"] = (
            names.get("_ii", ""),
            names.get("_i", ""),
            inputs[-1] if inputs else "",
        )
        inputs.extend("" for _ in range(count + 1 - len(inputs)))
        inputs[count] = text
        self._cells.append((count, file, text))
        self._characters += len(text)
        while len(self._cells) > 1 and (len(self._cells) > CELLS or self._characters > CHARACTERS):
            self._forget(*self._cells.popleft())

    def _forget(self, count: int, file: str, text: str) -> None:
        self._characters -= len(text)
        if count < len(self._inputs) and self._inputs[count] is text:
            self._inputs[count] = ""
        errors.forget(file)

    def end(self, count: int, value: Any) -> None:
        """A cell ended with a value to show."""
        if value is None:
            return
        self._outputs[count] = value
        names, last = self._names, self._last
        # A name that the code gave away itself is not taken back.
        if all(names.get(name, was) is was for name, was in zip(("_", "__", "___"), last, strict=True)):
            self._last = last = [value, last[0], last[1]]
            names["_"], names["__"], names["___"] = last
        size = _size(value)
        self._order.append((count, size))
        self._bytes += size
        while len(self._order) > 1 and (len(self._order) > VALUES or self._bytes > BYTES):
            self._let_go(*self._order.popleft())

    def _let_go(self, count: int, size: int) -> None:
        """Frees an old value, unless a name of the code holds it."""
        self._bytes -= size
        value = self._outputs.pop(count, None)
        for place, name in enumerate(("_", "__", "___")):
            if place and size and self._last[place] is value is self._names.get(name):
                self._names[name] = self._last[place] = ""

    def remember(self) -> None:
        """Lets tracebacks find every line again, whatever became of linecache."""
        for _, file, text in self._cells:
            if file not in linecache.cache:
                program.remember(text, file)

    def outputs(self) -> dict[int, Any]:
        """The values in Out."""
        return self._outputs

    def files(self) -> list[str]:
        """The files of the cells that are kept, newest first."""
        return [file for _, file, _ in reversed(self._cells)]

    def place(self, file: str) -> int:
        """Which of the cells a file is; -1 for none."""
        return next((number for number, (_, own, _) in enumerate(self._cells) if own == file), -1)

    def packed(self) -> dict[str, Any]:
        """All of it but the values, for another session."""
        last = [next((n for n, v in self._outputs.items() if v is value), 0) for value in self._last]
        known = {name: self._names.get(name, "") for name in ("_i", "_ii", "_iii")}
        return {
            "inputs": [text for text in self._inputs if type(text) is str],
            "cells": list(self._cells),
            "order": list(self._order),
            "last": last,
            "known": {name: text for name, text in known.items() if type(text) is str},
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Makes what packed says the history; the values come later."""
        self._inputs[:] = packed["inputs"]
        self._cells.extend(packed["cells"])
        self._characters = sum(len(text) for _, _, text in self._cells)
        self._order.extend(packed["order"])
        self._places = packed["last"]
        self._names.update(packed["known"])
        self.remember()

    def unpack_outputs(self, values: dict[int, Any]) -> None:
        """Takes the values that arrived."""
        self._outputs.update(values)
        kept = [(count, size) for count, size in self._order if count in values]
        self._order.clear()
        self._order.extend(kept)
        self._bytes = sum(size for _, size in kept)
        self._last = [values.get(place, "") for place in self._places]
        self._names["_"], self._names["__"], self._names["___"] = self._last

    def mentions(self, word: str) -> bool:
        """Whether a cell that is kept has word in its source."""
        return any(word in text for _, _, text in self._cells)


def _size(value: Any) -> int:
    """About how much memory a value holds; 0 where that is not much, or nobody's to ask."""
    try:
        if figures.is_drawing(value):
            return _FIGURE
        return questions.size(value)
    except Exception:  # a spoilt frame
        return 0
