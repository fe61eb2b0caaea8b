"""What a program holds, read and never run: imports, names, attributes, calls, strings.

The answer to the question "outline", which a checker asks of an interpreter that
runs nobody's code. The parser is this interpreter's own, so what it says is what
a run would meet. A program can make the parser give up, and by a hole in it do
anything here: whoever reads the answer believes none of it.
"""

from __future__ import annotations

import ast
import gc
import symtable
import warnings
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from . import source, values
from .program import TOO_DEEP

ENTRIES = 2_000  # of each kind; a program of more is said to be cut
TEXT = 200  # characters of a name or string

_LINES = 1 << 30


def parses(sent: str) -> bool:
    """Whether sent is plain Python, at half the price of what it holds: no tree of objects is made.

    No may be wrong, yes may not: a table of symbols is made of what has been
    parsed, and objects to more.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable.symtable(sent, "<unknown>", "exec")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
    return True


def outline(sent: str) -> dict[str, Any]:
    """What sent holds, or what is wrong with it, as JSON that is bounded."""
    said = _empty()
    collecting = gc.isenabled()
    gc.disable()  # a tree is a thousand objects without a cycle
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parse(sent, said)
            if tree is not None:
                _Reader(sent, said).read(tree)
                del tree
    finally:
        if collecting:
            gc.enable()
    return said


def _empty() -> dict[str, Any]:
    return {
        "said": "",
        "line": 0,
        "notebook": False,
        "cut": False,
        "imports": [],
        "names": {},
        "attributes": {},
        "calls": {},
        "strings": {},
    }


def _parse(sent: str, said: dict[str, Any]) -> ast.Module | None:
    """The tree of plain Python. Of what is none, the error and what is inside its fence."""
    try:
        return ast.parse(sent)
    except (SyntaxError, ValueError) as error:
        said["said"] = values.cut(str(error), TEXT) or "invalid syntax"
        said["line"] = getattr(error, "lineno", None) or 1
    except (MemoryError, RecursionError):
        said["said"], said["line"] = TOO_DEEP, 1
        return None
    inside = source.prepare(sent)
    said["notebook"] = source.is_notebook(inside.text)
    if not inside.fenced or said["notebook"]:
        return None
    try:
        tree = ast.parse(inside.text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    said["notebook"] = True
    return tree


def _children(kind: type[ast.AST]) -> Callable[[Any], Any] | None:
    """Returns what a node of a kind may have below it, None for a kind that has nothing."""
    fields = [f for f in kind._fields if f not in ("ctx", "op", "ops", "id", "attr", "kind", "type_comment", "lineno")]
    if not fields or kind in (ast.Constant, ast.Name, ast.alias, ast.Global, ast.Nonlocal):
        return None
    if len(fields) > 1:
        return attrgetter(*fields)
    only = attrgetter(fields[0])
    return lambda node: (only(node),)


def _kinds() -> dict[type, Callable[[Any], Any]]:
    found = {}
    for kind in vars(ast).values():
        if isinstance(kind, type) and issubclass(kind, ast.AST) and (children := _children(kind)):
            found[kind] = children
    return found


_CHILDREN = _kinds()


class _Reader:
    """One walk over a tree, level by level and without recursion."""

    def __init__(self, text: str, said: dict[str, Any]) -> None:
        self._text = text
        self._said = said
        self._joined: set[int] = set()  # additions that are part of one seen before
        self._names: dict[str, int] = {}
        self._attributes: dict[str, int] = {}
        self._calls: dict[str, int] = {}
        self._strings: dict[str, int] = {}

    def read(self, tree: ast.Module) -> None:
        self._walk(tree)
        said = self._said
        said["imports"].sort(key=lambda one: one["line"])
        if len(said["imports"]) > ENTRIES:
            del said["imports"][ENTRIES:]
            said["cut"] = True
        for kind in ("names", "attributes", "calls", "strings"):
            said[kind] = self._bounded(getattr(self, "_" + kind))

    def _walk(self, tree: ast.Module) -> None:
        names, attributes, children = self._names, self._attributes, _CHILDREN
        todo: list[Any] = [tree]
        more, one = todo.extend, todo.append
        special: dict[type, Callable[[Any], None]] = {
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.BinOp: self._addition,
            ast.Import: self._import,
            ast.ImportFrom: self._from,
        }
        for node in todo:  # it grows while it is read
            kind = type(node)
            if kind is ast.Name:
                if names.get(node.id, _LINES) > node.lineno:
                    names[node.id] = node.lineno
                continue
            if kind is ast.Attribute:
                if attributes.get(node.attr, _LINES) > node.lineno:
                    attributes[node.attr] = node.lineno
                one(node.value)
                continue
            if kind in special:
                special[kind](node)
            if kind in children:
                for below in children[kind](node):
                    if type(below) is list:
                        more(below)
                    elif below is not None:
                        one(below)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._note(alias.name, node.lineno, False)

    def _from(self, node: ast.ImportFrom) -> None:
        if node.module:
            self._note(node.module, node.lineno, True)
        for alias in node.names:
            if self._names.get(alias.name, _LINES) > node.lineno:
                self._names[alias.name] = node.lineno

    def _note(self, module: str, line: int, plain: bool) -> None:
        self._said["imports"].append({"module": values.cut(module, TEXT), "line": line, "from": plain})

    def _call(self, node: ast.Call) -> None:
        parts, value = [], node.func
        while type(value) is ast.Attribute:
            parts.append(value.attr)
            value = value.value
        if type(value) is ast.Name:
            parts.append(value.id)
            name = ".".join(reversed(parts[-8:]))
            if self._calls.get(name, _LINES) > node.lineno:
                self._calls[name] = node.lineno

    def _constant(self, node: ast.Constant) -> None:
        if type(node.value) is str:
            self._string(node.value, node.lineno)

    def _string(self, text: str, line: int) -> None:
        """Keeps a string that nobody can find in the program as it was written."""
        if text not in self._text and text not in self._strings:
            self._strings[text[:TEXT]] = line

    def _addition(self, node: ast.BinOp) -> None:
        """Puts together what + joins: parts that are plain, and chr of a number."""
        if type(node.op) is not ast.Add or id(node) in self._joined:
            return
        todo: list[ast.expr] = [node]
        run: list[str] = []
        while todo:
            part = todo.pop()
            if type(part) is ast.BinOp and type(part.op) is ast.Add:
                self._joined.add(id(part))
                todo += (part.right, part.left)
                continue
            text = _plain(part)
            if text is not None:
                run.append(text)
                continue
            self._string("".join(run), node.lineno)
            run = []
        self._string("".join(run), node.lineno)

    def _bounded(self, found: dict[str, int]) -> dict[str, int]:
        if len(found) > ENTRIES:
            self._said["cut"] = True
            found = dict(list(found.items())[:ENTRIES])
        return {values.cut(text, TEXT): line for text, line in found.items()}


def _plain(part: ast.expr) -> str | None:
    """The text of a string, or of chr with a number."""
    if type(part) is ast.Constant:
        return part.value if type(part.value) is str else None
    if type(part) is ast.Call and type(part.func) is ast.Name and part.func.id == "chr" and len(part.args) == 1:
        number = part.args[0]
        if type(number) is ast.Constant and type(number.value) is int and 0 <= number.value < 0x110000:
            return chr(number.value)
    return None
