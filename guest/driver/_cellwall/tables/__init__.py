"""Reads an uploaded file into data frames, inside the wall, and describes it.

    load(path, name, rows, sample) -> Loaded(frames, description)

What is inside a file decides how it is read; its name is only a second witness,
and a wrong ending is told. CSV, TSV, XLSX, JSON, JSON lines and Parquet are
read, each also packed with gzip. Anything that had to be guessed, anything that
is mixed and stays as it is, and anything that was left out stands in the
description's `warnings`; nothing is dropped in silence.

Frames: the key is the file's stem; a file with several tables (sheets, lists
under several keys) has its first table that has rows under the stem, and every
table under "stem/table".

Above `rows` rows a table is cut: `sample` "random" draws with seed 42 and keeps
the order of the file, "head" takes the first. The true count is told; what is
said of columns (types, missing values, kinds) is said of the rows given.

Numbers that only name things – leading zeros, 16 digits and more, mobile phone
numbers – stay text. Text is converted only where a whole column fits one other
notation ("1.234,50"; "1,234"; dates such as 31.12.2024). ISO dates stay text.

Everything a hostile file can do ends in `Unreadable`, which says what and what
to do – except exhausting memory or time and crashing a reader library, which
the wall notices and names.
"""

from __future__ import annotations

import codecs

from . import describe as _describe
from . import names as _names
from . import source as _source
from .errors import Unreadable
from .model import Limit, Loaded, Parsed

__all__ = ["Loaded", "Unreadable", "keys", "load", "warm"]


def load(path: str, name: str, rows: int, sample: str, key: str = "") -> Loaded:
    """Parses one file.

    `name` is the file's name as uploaded, `rows` the row limit, `sample`
    "random" or "head", `key` the key in `dfs` (default: the stem of `name`).
    Raises Unreadable.
    """
    src = _source.open_source(path, name)
    try:
        parsed = _parse(src, Limit(rows, sample), name)
    except MemoryError as e:
        raise Unreadable(f"{name} needs more memory than the limit: upload a part of it, or Parquet") from e
    except RecursionError as e:
        raise Unreadable(f"{name} is nested too deeply to be a table: flatten it") from e
    key = key or src.stem
    names = [f"{key}/{t.name}" for t in parsed.tables]
    frames = {}
    main = next((t for t in parsed.tables if len(t.frame)), parsed.tables[0])
    frames[key] = main.frame
    if len(parsed.tables) > 1:
        frames.update(zip(names, (t.frame for t in parsed.tables), strict=True))
    _tell_name(src, parsed, name)
    return Loaded(frames, _describe.describe(parsed, name, names))


def keys(names: list[str]) -> list[str]:
    """The keys in `dfs` for the files of one run: stems, twins as stem_2."""
    taken: set[str] = set()
    found: list[str] = []
    for name in names:
        stem, _, _ = _source.split_name(name)
        key, n = stem, 1
        while key in taken:
            n += 1
            key = f"{stem}_{n}"
        taken.add(key)
        found.append(key)
    return found


def _parse(src: _source.Source, limit: Limit, name: str) -> Parsed:
    from . import delimited, encoding, objects, parquet, workbook

    if src.content == "parquet":
        return parquet.read(src, limit, name)
    if src.content == "xlsx":
        return workbook.read(src, limit, name)
    text = encoding.to_utf8(src.data, name)
    parsed = objects.read(text, limit, src.named, name)
    return parsed or delimited.read(text, limit, src.named, name)


def _tell_name(src: _source.Source, parsed: Parsed, name: str) -> None:
    named, got = src.named, parsed.format
    if src.packed and not name.lower().endswith(".gz"):
        parsed.warnings.append(f"the file is packed with gzip although its name is {_names.quoted(name)}")
    if named in ("", "text") or named == got or {named, got} <= {"json", "jsonl"}:
        return
    if {named, got} == {"csv", "tsv"} and parsed.delimiter:
        parsed.warnings.append(f"the name says {named}, the content is {got} (delimiter {parsed.delimiter!r})")
        return
    parsed.warnings.append(f"the name says {named}, the content is {got} and was read as that")


def warm() -> None:
    """Imports and builds what readers need, so that a forked child does not.

    The Parquet library is left out: it brings a thread.
    """
    import openpyxl.reader.excel

    from . import charsets, delimited, encoding, objects, parquet, workbook

    charsets.guess("销售额,größe\n".encode("gb18030"))
    for codec in ("utf-16-le", "utf-16-be", "utf-32", "latin-1"):
        codecs.lookup(codec)
    del openpyxl, delimited, encoding, objects, parquet, workbook
