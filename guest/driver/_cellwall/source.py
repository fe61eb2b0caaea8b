"""What was sent, as the text that is compiled: no fence, Unix line ends.

Line numbers never shift: a removed line leaves an empty one behind, so that an
error's line is a line of what the caller sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"\A(?P<lead>\s*)(?P<mark>`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)\n?[ \t]*(?P=mark)\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Source:
    """Program text ready to compile, and what was taken off it."""

    text: str
    fenced: bool


def prepare(sent: str) -> Source:
    """Takes off carriage returns and one Markdown fence.

    A byte order mark is the controller's to take off, once: a second one is an
    error in Python, and the text that is run is the text that was checked.
    """
    text = sent
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.lstrip()[:3] not in ("```", "~~~"):
        return Source(text, False)
    found = _FENCE.match(text)
    if found is None or found["mark"] in found["code"]:
        return Source(text, False)
    above = "\n" * found["lead"].count("\n")
    return Source(f"{above}\n{found['code']}\n", True)


def check(text: str, file: str) -> None:
    """Raises SyntaxError with a line for what no compiler should be shown."""
    at = text.find("\0")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        shown = text.split("\n")[line - 1].replace("\0", "\\x00")
        raise SyntaxError("source code cannot contain null bytes", (file, line, 0, shown))
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as bad:
            line = text.count("\n", 0, bad.start) + 1
            raise SyntaxError("source code is not valid Unicode text", (file, line, 0, "")) from None


def excerpt(text: str, line: int, caller: int = 0, limit: int = 1000) -> str:
    """The lines around a line, numbered, the line itself marked; below them the line of
    the module that led there, when it is another."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return ""
    below = ""
    if caller != line and 1 <= caller <= len(lines):
        below = f"\ncalled from line {caller}: {lines[caller - 1].strip()[:160]}"
    limit -= len(below)
    width = len(str(min(line + 3, len(lines))))
    reach = 3
    while True:
        first, last = max(1, line - reach), min(len(lines), line + reach)
        cell = 160 if reach else limit - 20
        rows = (f"{'>' if n == line else ' '} {n:>{width}} | {lines[n - 1][:cell]}" for n in range(first, last + 1))
        shown = "\n".join(rows)
        if len(shown) <= limit or reach == 0:
            return shown[:limit] + below
        reach -= 1


_NOTEBOOK = re.compile(r"^\s*[%!?]|=\s*[%!]|\?\s*$|^\s*(>>> |In \[\d+\])", re.MULTILINE)
_CELL = re.compile(r"\A(?P<lead>\s*)%%(?P<name>\w+)[^\n]*")


def is_notebook(text: str) -> bool:
    """Whether something in the text looks like notebook syntax."""
    return _NOTEBOOK.search(text) is not None


def cell_magic(text: str) -> tuple[str, int] | None:
    """The name of the %%magic that the text begins with, and its line."""
    found = _CELL.match(text)
    return (found["name"], found["lead"].count("\n") + 1) if found else None


def without_line(text: str, line: int) -> str:
    """The text with one line emptied."""
    lines = text.split("\n")
    lines[line - 1] = ""
    return "\n".join(lines)
