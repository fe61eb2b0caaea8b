"""The exception that ended the code, as the user's own lines tell it.

Only frames of the user's files are shown: what pandas did between the user's
line and the exception helps nobody. Everything is bounded, whatever the
exception's own methods do.
"""

from __future__ import annotations

import itertools
import linecache
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from . import source, values

MESSAGE = 2_000
TRACEBACK = 20_000
CHAIN = 5  # exceptions of a chain that are shown
GROUP = 10  # members of a group that are shown, per level
NESTED = 3  # levels of a group that are shown
FRAMES = 60  # user frames kept from either end of a long traceback

# Debian keeps packages beside the standard library's folder, others below it.
_LIBRARY = tuple({f"{sys.prefix}/lib/", f"{os.path.dirname(os.__file__)}/", f"{sysconfig.get_path('purelib')}/"})
_DRIVER = __file__.rpartition("/")[0] + "/"
_GENERATED = ("<frozen ", "<__array_function__", "<decorator-gen", "<attrs generated", "<decorator_gen")
_NOWHERE = (None, None, None, None)
_QUOTED = re.compile(r"'([^']{1,200})'|\"([^\"]{1,200})\"")


def describe(error: BaseException, text: str, file: str, ran: bool) -> dict[str, Any]:
    """The E frame for an exception; ran is False when the source did not compile."""
    if isinstance(error, SyntaxError) and not ran:
        line, caller = error.lineno or 0, 0
        shown = _syntax(error, file)
    else:
        caller, line = _lines(error.__traceback__, file) if ran else (0, 0)
        shown = _chain(error, file)
    return {
        "type": values.name_of(type(error)),
        "message": message(error),
        "line": line,
        "traceback": values.cut(shown, TRACEBACK),
        "excerpt": values.utf8(source.excerpt(text, line, caller)),
        "name": values.cut(_name(error), 500),
    }


def message(error: BaseException) -> str:
    """str(error), bounded; for SyntaxError without the place, which is told apart."""
    if isinstance(error, SyntaxError) and isinstance(error.msg, str):
        return values.cut(error.msg, MESSAGE)
    if type(error) is MemoryError and not error.args:
        return "out of memory, or the code is nested too deeply"
    try:
        said = str(error)
    except BaseException as failure:
        return f"<its text could not be made: {values.name_of(type(failure))}>"
    return values.cut(said, MESSAGE)


def _is_user(name: str, file: str) -> bool:
    if name == file:
        return True
    if name.startswith("<"):
        return name in ("<string>", "<stdin>") or not name.startswith(_GENERATED)
    return name.startswith("/") and not name.startswith((*_LIBRARY, _DRIVER))


def _user_frames(trace: TracebackType | None, file: str) -> Iterator[TracebackType]:
    while trace is not None:
        if _is_user(trace.tb_frame.f_code.co_filename, file):
            yield trace
        trace = trace.tb_next


def _lines(trace: TracebackType | None, file: str) -> tuple[int, int]:
    """The first line of the user's code on the way to the exception, and the deepest."""
    first = line = 0
    for entry in _user_frames(trace, file):
        if entry.tb_frame.f_code.co_filename == file:
            line = entry.tb_lineno or 0
            first = first or line
    return first, line


def _syntax(error: SyntaxError, file: str) -> str:
    lines = traceback.format_exception_only(SyntaxError, _plain_syntax(error, file))
    return "".join(lines).replace("SyntaxError:", f"{type(error).__name__}:", 1)


def _plain_syntax(error: SyntaxError, file: str) -> SyntaxError:
    """A copy whose text is bounded: the line may be megabytes."""
    shown = error.text
    if isinstance(shown, str) and len(shown) > 500:
        shown = None
    place = (file, error.lineno, error.offset, shown, error.end_lineno, error.end_offset)
    return SyntaxError(error.msg, place)


def _chain(error: BaseException, file: str) -> str:
    """The exception and what it came from, oldest first, as Python prints it."""
    parts: list[str] = []
    seen: set[int] = set()
    here: BaseException | None = error
    while here is not None and id(here) not in seen and len(parts) < 2 * CHAIN:
        seen.add(id(here))
        parts.append(_one(here, file))
        before, why = here.__cause__, traceback._cause_message  # type: ignore[attr-defined]
        if before is None and not here.__suppress_context__:
            before, why = here.__context__, traceback._context_message  # type: ignore[attr-defined]
        if before is None or next(_user_frames(before.__traceback__, file), None) is None:
            break  # what a library caught inside itself is not the user's story
        parts.append(why)
        here = before
    if parts and parts[-1].startswith("\n"):
        parts.pop()
    return "".join(reversed(parts))


def _one(error: BaseException, file: str) -> str:
    head = "Traceback (most recent call last):\n"
    try:
        stack = _stack(error.__traceback__, file)
    except BaseException:  # the code may have replaced anything of the standard library
        stack = "".join(
            f'  File "{entry.tb_frame.f_code.co_filename}", line {entry.tb_lineno}\n'
            for entry in itertools.islice(_user_frames(error.__traceback__, file), FRAMES)
        )
    said = message(error)
    kind = values.name_of(type(error))
    last = f"{kind}: {said}\n" if said else f"{kind}\n"
    if isinstance(error, SyntaxError):
        last = _syntax(error, error.filename or file)
    return (head + stack if stack else "") + last + _notes(error) + _members(error, 1)


def _stack(trace: TracebackType | None, file: str) -> str:
    """The user's frames as Python prints them, repeated ones folded."""
    kept: list[TracebackType] = []
    tail: list[TracebackType] = []
    left_out = 0
    for entry in _user_frames(trace, file):
        if len(kept) < FRAMES:
            kept.append(entry)
            continue
        tail.append(entry)
        if len(tail) > FRAMES:
            tail.pop(0)
            left_out += 1
    shown = _format(kept)
    if left_out:
        shown += f"  [{left_out} more frames]\n"
    return shown + (_format(tail) if tail else "")


def _format(entries: list[TracebackType]) -> str:
    frames = []
    for entry in entries:
        code = entry.tb_frame.f_code
        _, end, column, end_column = next(itertools.islice(code.co_positions(), entry.tb_lasti // 2, None), _NOWHERE)
        frames.append(
            traceback.FrameSummary(
                code.co_filename,
                entry.tb_lineno,
                code.co_name,
                lookup_line=False,
                end_lineno=end,
                colno=column,
                end_colno=end_column,
            )
        )
    return "".join(line[:2000] for line in traceback.StackSummary.from_list(frames).format())


def _notes(error: BaseException) -> str:
    notes: Any = getattr(error, "__notes__", None)
    if type(notes) not in (list, tuple):
        return ""
    return "".join(values.cut(note, 500) + "\n" for note in notes[:10] if type(note) is str)


def _members(error: BaseException, level: int) -> str:
    if not isinstance(error, BaseExceptionGroup) or level > NESTED:
        return ""
    shown = ""
    for number, member in enumerate(error.exceptions[:GROUP], 1):
        said = values.cut(message(member), 500)
        shown += f"{'  ' * level}[{number}] {values.name_of(type(member))}: {said}\n" + _members(member, level + 1)
    if len(error.exceptions) > GROUP:
        shown += f"{'  ' * level}… and {len(error.exceptions) - GROUP} more\n"
    return shown


def _name(error: BaseException) -> str:
    """The key, attribute, name, module or file that was missing."""
    try:
        if isinstance(error, KeyError):
            return _key(error)
        if isinstance(error, OSError):
            return str(error.filename) if type(error.filename) in (str, bytes) else ""
        if isinstance(error, ImportError):
            missing = error.name_from if not isinstance(error, ModuleNotFoundError) else None
            return missing or error.name or ""
        if isinstance(error, (AttributeError, NameError)):
            return error.name or _lacking(str(error)[:2000])
        if type(error).__module__.startswith(("pandas", "numpy")):
            return _quoted(str(error)[:2000])
    except BaseException:
        return ""
    return ""


def _key(error: KeyError) -> str:
    key = error.args[0] if error.args else ""
    if type(key) is not str:
        return values.text(key, 200)
    # pandas writes sentences: "['a', 'b'] not in index", "Column not found: a"
    if key.startswith(("Column not found: ", "Columns not found: ")):
        return _quoted(key) or key.partition(": ")[2]
    if " not in index" in key or " are in the [" in key or " not found in axis" in key or " do not exist" in key:
        return _quoted(key)
    return key


def _lacking(sentence: str) -> str:
    """What is missing, of a library's own sentence: the owner is quoted before it."""
    return _quoted(sentence.partition("has no attribute ")[2] or sentence)


def _quoted(sentence: str) -> str:
    found = _QUOTED.search(sentence)
    return (found[1] or found[2]) if found else ""


def forget(file: str) -> None:
    """Drops a file's remembered source lines."""
    linecache.cache.pop(file, None)
