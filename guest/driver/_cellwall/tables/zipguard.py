"""Looks into a workbook's archive before a parser does: a few kilobytes can
unpack to gigabytes, and XML can multiply itself by entities."""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

from . import errors
from .errors import Unreadable

_MAX_PARTS = 10_000
_STEP = 1 << 20
# "<!DOCTYPE" or "<!ENTITY" in UTF-8 or either UTF-16. Inside of a document a
# "<" of text is always escaped, so a hit is a declaration.
_DECLARATION = re.compile(rb"<\x00?!\x00?(?:D\x00?O\x00?C\x00?T|E\x00?N\x00?T\x00?I)")
# A formula whose result was never saved, as programs write them.
_SHEET = re.compile(rb"<(?:\w+:)?sheet\s")
_NO_RESULT = re.compile(rb"</f></c>|</f><v></v>|</f><v\s*/>|<f[^>]*/></c>")


@dataclass(slots=True)
class Archive:
    """What was seen while looking."""

    expanded: int  # bytes of all parts
    formulas_without_result: int
    sheets: int


def inspect(file: IO[bytes], name: str) -> Archive:
    """Checks every part. Raises Unreadable for a bomb, a declaration, damage."""
    try:
        with zipfile.ZipFile(file) as z:
            parts = z.infolist()
            _check_kind({p.filename for p in parts}, name)
            total = sum(p.file_size for p in parts)
            if total > errors.MAX_EXPANDED or len(parts) > _MAX_PARTS:
                raise Unreadable(
                    f"{name} unpacks to {total >> 20} MiB in {len(parts)} parts, "
                    f"more than {errors.MAX_EXPANDED >> 20} MiB: "
                    "it may be a compression bomb; save the sheet you need as CSV"
                )
            if any(p.flag_bits & 1 for p in parts):
                raise Unreadable(f"{name} is encrypted: save it without a password")
            seen = Archive(total, 0, 0)
            for p in parts:
                if p.filename.endswith((".xml", ".rels")):
                    _scan(z, p, name, seen)
            return seen
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as e:
        raise damaged(name, str(e)) from e


def damaged(name: str, why: str) -> Unreadable:
    """The refusal of a workbook that only its program can repair."""
    return Unreadable(f"{name} is a damaged workbook ({why[:160]}): open it in a spreadsheet program and save it again")


def _check_kind(parts: set[str], name: str) -> None:
    if "xl/workbook.xml" in parts or any(p.startswith("xl/workbook") for p in parts if p.endswith(".xml")):
        return
    if "xl/workbook.bin" in parts:
        raise Unreadable(f"{name} is a binary workbook (.xlsb): save it as .xlsx")
    if "content.xml" in parts:
        raise Unreadable(f"{name} is an OpenDocument file: save it as .xlsx")
    if "word/document.xml" in parts or "ppt/presentation.xml" in parts:
        raise Unreadable(f"{name} is a document, not a workbook: copy the table into a workbook")
    raise Unreadable(f"{name} is a ZIP archive, not a workbook: unpack it and upload the file in it")


def _scan(z: zipfile.ZipFile, part: zipfile.ZipInfo, name: str, seen: Archive) -> None:
    tail = b""
    with z.open(part) as f:
        while step := f.read(_STEP):
            window = tail + step
            if _DECLARATION.search(window):
                raise Unreadable(
                    f"{name} declares XML entities, which no spreadsheet program does: save it again as .xlsx"
                )
            if part.filename.startswith("xl/worksheets/"):
                seen.formulas_without_result += len(_NO_RESULT.findall(step))
            elif part.filename == "xl/workbook.xml":
                seen.sheets += len(_SHEET.findall(step))
            tail = step[-32:]
