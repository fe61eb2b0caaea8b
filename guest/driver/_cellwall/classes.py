"""Classes of cells, made again from the source of their cells.

A class is more than its parts: decorators, metaclasses and slots work while it
is made. So the statement that made it is run once more, at its own lines.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable
from typing import Any

from . import core, origin
from .program import _AWAIT

_of = type.__getattribute__
_PLAIN = (int, float, str, bytes, bool, type(None))


class Sourceless(Exception):
    """No statement of a cell is known to make it."""


def describe(value: type) -> dict[str, Any]:
    """Where a class comes from. Raises Sourceless."""
    name = str(_of(value, "__qualname__"))
    file = origin._file(value) or ""
    line = vars(value).get("__firstlineno__", 0)
    if "<locals>" in name or not isinstance(line, int):
        raise Sourceless(name)
    outer = name.partition(".")[0]
    return {"name": outer, "file": file, "line": line if outer == name else 0, "held": _held(value)}


def _held(value: type) -> dict[str, Any]:
    """Plain attributes, which methods may have changed since."""
    return {k: v for k, v in list(vars(value).items()) if not k.startswith("__") and type(v) in _PLAIN}


def make(said: dict[str, Any], files: Iterable[str], names: dict[str, Any]) -> None:
    """Runs the statement that made a class. files are those of cells, newest first. Raises what that raises."""
    for file in [said["file"], *files]:
        text = "".join(linecache.getlines(file)) if file else ""
        statement = _find(text, said["name"], said["line"]) if text else None
        if statement is None:
            continue
        tree, found = statement
        future = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
        exec(compile(ast.Module([*future, found], []), file, "exec", _AWAIT, True), names)
        made = names[said["name"]]
        origin.learn([made], file)
        if type(made) is type:
            for attribute, content in said["held"].items():
                if vars(made).get(attribute) != content:
                    setattr(made, attribute, content)
        return
    raise Sourceless(said["name"])


def _find(text: str, name: str, line: int) -> tuple[ast.Module, ast.stmt] | None:
    """The statement of a cell that makes a class: the one at its line, else the last that gives its name."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.parse(core.transform(text))
    made = [node for node in tree.body if name in _given(node)]
    at_line = [node for node in made if line in range(_first(node), node.lineno + 1)]
    chosen = at_line or made
    return (tree, chosen[-1]) if chosen else None


def _given(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def _first(node: ast.stmt) -> int:
    """The first line, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
