"""The restricted interpreter of the profile strict: builtins that are not given, imports that are looked at.

It is advice, never a boundary: Python's objects lead around it, and the wall
behind is the same without it. What a program cannot hide from the checks before
the run is refused there; here is what it makes up while it runs: a module that
an allowed module holds (from statistics import sys), a name out of a star, a
builtin that was reached in another way.

Only the code itself is restricted: functions that were made by it find their
builtins in the dictionary that is made here, libraries find the real ones and
import what they like. C code that the program calls itself takes the program's
builtins for its own: its imports are told apart by their list, its open is not
(np.fromfile, ndarray.tofile).
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

_import = builtins.__import__
_vars = vars


class SecurityError(Exception):
    """Something that the profile strict does not give."""


class _NotAllowed(SecurityError, ImportError):
    """The same of an import, so that code with another way goes on with it."""


SecurityError.__module__ = _NotAllowed.__module__ = "builtins"  # shown by its plain name
_NotAllowed.__name__ = _NotAllowed.__qualname__ = "SecurityError"


def builtins_of(restrict: dict[str, Any] | None) -> Any:
    """What a program finds as __builtins__: the module itself where nothing is restricted."""
    if restrict is None:
        return builtins
    given = dict(_vars(builtins))
    for name, words in restrict["builtins"].items():
        if name in given:
            given[name] = _without(name, words)
    given["__import__"] = _guard(restrict["imports"])
    return given


def _without(name: str, words: str) -> Callable[..., NoReturn]:
    def refused(*_: Any, **__: Any) -> NoReturn:
        raise SecurityError(words)

    refused.__name__ = refused.__qualname__ = name
    return refused


def _guard(rules: list[dict[str, Any]]) -> Callable[..., Any]:
    """The builtin behind the import statements of the code."""

    def guarded(name: str, names: Any = None, locals_: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if type(wanted) is list:  # C code called by the program: strptime imports _strptime, numpy what it needs
            return _import(name, names, locals_, wanted, level)
        if level == 0:
            _look(rules, name, bool(wanted), name)
        module = _import(name, names, locals_, wanted, level)
        if not wanted:
            return module
        if "*" in wanted:
            return _starred(rules, module)
        for one in wanted:
            if _refuses(rules, module, one):
                _look(rules, _vars(module)[one].__name__, True, name)
        return module

    guarded.__name__ = guarded.__qualname__ = "__import__"
    return guarded


def _look(rules: list[dict[str, Any]], module: str, of_from: bool, said: str) -> None:
    """Raises what a rule says to a module, by the name that the statement has."""
    rule = _rule(rules, module, of_from)
    if rule is not None:
        words = rule["message"].replace("{module}", said).replace("{name}", said.partition(".")[0])
        raise _NotAllowed(words, name=module)


def _rule(rules: list[dict[str, Any]], module: str, of_from: bool) -> dict[str, Any] | None:
    for rule in rules:
        if rule["from" if of_from else "plain"] and _lists(rule["modules"], module) is not rule["others"]:
            return rule
    return None


def _lists(modules: list[str], module: str) -> bool:
    return any(module == one or module.startswith(one + ".") for one in modules)


def _refuses(rules: list[dict[str, Any]], module: ModuleType, name: str) -> bool:
    """Whether a name of a module is another module that may not be imported."""
    inner = _vars(module).get(name)
    if type(inner) is not ModuleType or sys.modules.get(f"{module.__name__}.{name}") is inner:
        return False
    return _rule(rules, inner.__name__, True) is not None


def _starred(rules: list[dict[str, Any]], module: ModuleType) -> ModuleType:
    """A module for a star, without the modules in it that may not be imported."""
    public = getattr(module, "__all__", None) or [name for name in _vars(module) if name[:1] != "_"]
    fine = [name for name in public if not _refuses(rules, module, name)]
    copy = ModuleType(module.__name__)
    _vars(copy).update({name: getattr(module, name) for name in fine}, __all__=fine)
    return copy
