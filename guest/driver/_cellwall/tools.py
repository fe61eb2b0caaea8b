"""The name tools: what a program writes to call a function of the host."""

from __future__ import annotations

from typing import Any

from . import calltypes, callwords
from .calls import Desk
from .callwords import ToolEnded, ToolError

CALL_BYTES = 256 << 10  # of one call's arguments


class _Closed:
    """In the place of a desk when no program runs."""

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        raise ToolEnded("tools can be called while the program runs that was given them", name)

    def close(self) -> None:
        """It is."""


_desk: Desk | _Closed = _Closed()


class Tool:
    """One function of the host."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.__name__ = self.__qualname__ = said["name"]
        self.__doc__ = callwords.doc(said)
        self._fields = list((said.get("parameters") or {}).get("properties") or {})

    def __call__(self, *values: Any, **named: Any) -> Any:
        name, fields = self.__name__, self._fields
        return _desk.call(name, calltypes.arguments(name, fields, values, named, CALL_BYTES))

    def __repr__(self) -> str:
        return f"<tool {self.__name__}({', '.join(self._fields)})>"

    def __reduce__(self) -> Any:
        return _named, (self.__name__,)


class Tools:
    """What tools is: a function for each that may be called now."""

    ToolError = ToolError

    def __getattr__(self, name: str) -> Any:
        raise callwords.unknown(name, list(vars(self)))

    def __repr__(self) -> str:
        return f"<tools: {', '.join(vars(self)) or 'none'}>"

    def __reduce__(self) -> str:
        return "tools"


tools = Tools()


def _named(name: str) -> Tool:
    """A tool that came along from another sandbox, which may not have been given it here."""
    return vars(tools).get(name) or Tool({"name": name})


def offer(names: dict[str, Any], said: list[dict[str, Any]], desk: Desk | None) -> None:
    """Has code find tools, unless it has something of that name; without any tool ours goes."""
    global _desk
    vars(tools).clear()
    if desk is None:
        if names.get("tools") is tools:
            del names["tools"]
        return
    for one in said:
        vars(tools)[one["name"]] = Tool(one)
    _desk = desk
    names.setdefault("tools", tools)


def end() -> None:
    """The program is over."""
    global _desk
    _desk.close()
    _desk = _Closed()
