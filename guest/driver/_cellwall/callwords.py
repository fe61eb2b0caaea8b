"""What code hears of a call that came to nothing: exceptions that say what to do."""

from __future__ import annotations

import difflib
from typing import Any

from . import values


class ToolError(RuntimeError):
    """A call of a tool that came to nothing. tool is its name."""

    def __init__(self, message: str, tool: str = "") -> None:
        super().__init__(message)
        self.tool = tool


class ToolUnknown(ToolError, AttributeError):
    """There is no such tool."""


class ToolArguments(ToolError, TypeError):
    """The arguments are not what the tool takes."""


class ToolRefused(ToolError):
    """A bound of the execution is reached: no further call is answered."""


class ToolBusy(ToolError):
    """There is no room now."""


class ToolTimeout(ToolError, TimeoutError):
    """It took too long."""


class ToolFailed(ToolError):
    """The tool itself says that it failed."""


class ToolEnded(ToolError):
    """The program was over before the tool answered."""


_KINDS: dict[str, type[ToolError]] = {
    "unknown": ToolUnknown,
    "arguments": ToolArguments,
    "refused": ToolRefused,
    "busy": ToolBusy,
    "timeout": ToolTimeout,
    "failed": ToolFailed,
    "ended": ToolEnded,
}
for _kind in (ToolError, *_KINDS.values()):
    _kind.__module__ = "builtins"  # shown by its plain name


def error(answer: dict[str, Any], name: str) -> ToolError:
    """The exception of an answer."""
    kind = _KINDS.get(answer["failure"], ToolFailed)
    return kind(answer["message"] or f"tools.{name} failed", name)


def unknown(name: str, known: list[str]) -> ToolUnknown:
    """Of a name that is no tool."""
    shown = values.cut(name, 64)
    if not known:
        return ToolUnknown(f"there is no tool {shown!r}: this program was given none", shown)
    near = difflib.get_close_matches(name, known, 1, 0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return ToolUnknown(f"there is no tool {shown!r}{hint} (there are: {', '.join(known)})", shown)


def doc(said: dict[str, Any]) -> str:
    """What help() shows of a tool."""
    schema = said.get("parameters") or {}
    required = schema.get("required") or []
    lines = [said.get("description") or "", ""]
    for name, field in (schema.get("properties") or {}).items():
        field = field if isinstance(field, dict) else {}
        kind, needed = field.get("type", "any"), "" if name in required else ", may be left out"
        lines.append(f"{name} ({kind}{needed}): {field.get('description', '')}".rstrip(": "))
    return values.cut("\n".join(lines).strip(), values.TEXT_BYTES)
