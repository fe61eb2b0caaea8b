"""A program: compiled once, run as __main__, its last expression kept.

The loop is our own and not IPython's run_cell: in a child freshly forked from
a warm zygote run_cell costs 2.0 to 3.3 ms and 1.1 to 1.6 MB of copied pages
more for the same cell, because it walks histories, events, traits and hooks.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
from collections.abc import Callable
from functools import cached_property
from types import CodeType
from typing import Any

_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_eval = eval  # no builtin is looked up while the code runs: it may have replaced any
_COROUTINE = inspect.CO_COROUTINE
TOO_DEEP = "the code is too deeply nested; split long chains of elif, operators, calls or lambda"


class Program:
    """Compiled source. Raises what the compiler raises: nothing has run then."""

    def __init__(self, text: str, file: str) -> None:
        self.text = self._compiled = text
        self.file = file
        self.remember()
        try:
            self._codes = _halves(text, file) or self._whole()
        except (MemoryError, RecursionError):
            # The parser says so of a stack that is full, the compiler of its
            # own depth: neither is a limit that the code met by running.
            raise SyntaxError(TOO_DEEP, (file, None, None, None)) from None
        self._awaits = any(code.co_flags & _COROUTINE for code in self._codes)

    def _whole(self) -> list[CodeType]:
        """The program by way of its tree."""
        tree, value = self.tree, self.value
        module = ast.Module(tree.body if value is None else tree.body[:-1], tree.type_ignores)
        body = compile(module, self.file, "exec", _AWAIT, True)
        if value is None:
            return [body]
        return [body, compile(ast.Expression(value), self.file, "eval", _flags(body), True)]

    @cached_property
    def tree(self) -> ast.Module:
        """What was compiled, for who looks at it."""
        return ast.parse(self._compiled, self.file)

    @property
    def value(self) -> ast.expr | None:
        """The last expression, whose value is kept."""
        last = self.tree.body[-1] if self.tree.body else None
        if isinstance(last, ast.Expr) and not _silenced(self._compiled, last):
            return last.value
        return None

    def remember(self) -> None:
        """Lets tracebacks, warnings and inspect find the source lines."""
        remember(self.text, self.file)

    def run(self, names: dict[str, Any], wait: Callable[[Any], Any] | None = None) -> Any:
        """Runs the program; returns the value of its last expression, or None.

        One that awaits something is a coroutine, for which wait waits.
        """
        if self._awaits:
            if wait is None:
                import asyncio

                wait = asyncio.run
            return wait(_run_async(self._codes, names, _eval))
        result = None
        for code in self._codes:
            result = _eval(code, names)
        return result


def remember(text: str, file: str) -> None:
    """Has linecache know a text: its lines end where the compiler ends them, which is not where splitlines does."""
    lines = [line + "\n" for line in text.removesuffix("\n").split("\n")]
    linecache.cache[file] = (len(text), None, lines, file)


async def _run_async(codes: list[CodeType], names: dict[str, Any], run: Callable[..., Any]) -> Any:
    result = None
    for code in codes:
        result = run(code, names)
        if code.co_flags & _COROUTINE:
            result = await result
    return result


def _halves(text: str, file: str) -> list[CodeType] | None:
    """The program when its last line alone is an expression, compiled without a tree of objects.

    That costs a child 0.4 ms less. A head that is complete by itself and a tail
    that begins at the left edge mean together what they mean apart. None: take
    the tree, which also tells what is wrong. A backslash is left to it because
    the compiler would warn of a bad escape twice.
    """
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    if not text[start : start + 1].isidentifier() or "\\" in text:
        return None
    try:
        tail = "\n" * text.count("\n", 0, start) + text[start:end]
        last = compile(tail, file, "eval", _AWAIT, True)
        body = compile(text[:start], file, "exec", _AWAIT, True)
        if body.co_flags & _FUTURE:
            last = compile(tail, file, "eval", _flags(body), True)
    except SyntaxError:
        return None
    return [body, last]


def _flags(body: CodeType) -> int:
    """What a program says by `from __future__` holds for its last expression too."""
    return _AWAIT | (body.co_flags & _FUTURE)


def _silenced(text: str, last: ast.Expr) -> bool:
    """Whether a semicolon after the last expression asks not to show it."""
    if last.end_lineno is None or last.end_col_offset is None:
        return False
    lines = text.split("\n")[last.end_lineno - 1 :]
    if not lines:
        return False
    lines[0] = lines[0].encode("utf-8")[last.end_col_offset :].decode("utf-8", "replace")
    return lines[0].lstrip().startswith(";")
