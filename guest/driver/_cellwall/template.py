"""A dataset that is parsed once: as columns in a file, and as frames again.

write() runs where the files were parsed, inside a wall; read() in a clean
zygote that never saw them. What lies between is hostile: numbers in plain
buffers, text as UTF-8 with offsets, and a header in JSON, all of it bounded and
checked before anything is built from it. Nothing is ever unpickled.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from . import immortal
from .inputs import Loaded

HEADER = 4 << 20  # bytes of JSON
FRAMES, COLUMNS = 256, 20_000
_MAGIC = b"cellwall"
_ALIGN = 64
_PLAIN = re.compile(r"[<|=]?(?:[iu][1248]|f[248]|b1|[mM]8\[(?:s|ms|us|ns)\])")
_SCALARS: dict[type, str] = {str: "s", int: "i", float: "f", bool: "b", type(None): "n"}


class Unfit(Exception):
    """Something that a template cannot hold, or that is none."""


class _Writer:
    """Appends buffers to a file and says where they are."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._at = 0

    def put(self, data: Any) -> list[int]:
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        self._file.write(view)
        place = [self._at, len(view)]
        padding = -len(view) % _ALIGN
        self._file.write(bytes(padding))
        self._at += len(view) + padding
        return place


def write(loaded: Loaded, path: str) -> None:
    """Writes what was loaded to a new file. Raises Unfit."""
    with open(path, "xb") as file:
        writer = _Writer(file)
        frames: list[pd.DataFrame] = []
        keys: dict[str, int] = {}
        for key, frame in loaded.frames.items():
            number = next((n for n, known in enumerate(frames) if known is frame), len(frames))
            frames[number:] = [frame] if number == len(frames) else frames[number:]
            keys[key] = number
        first = next((key for key, number in keys.items() if frames[number] is loaded.first), "")
        said = {
            "keys": keys,
            "first": first,
            "frames": [_frame(frame, writer) for frame in frames],
            "descriptions": loaded.descriptions,
        }
        header = json.dumps(said, allow_nan=False).encode("ascii")
        if len(header) > HEADER:
            raise Unfit("there are too many columns")
        file.write(header)
        file.write(len(header).to_bytes(8, "little") + _MAGIC)


def _frame(frame: pd.DataFrame, writer: _Writer) -> dict[str, Any]:
    index = frame.index
    if type(index) is not pd.RangeIndex or index.start != 0 or index.step != 1 or frame.columns.nlevels != 1:
        raise Unfit("its rows have labels")
    labels = list(frame.columns)
    if not all(type(label) in (str, int) for label in labels):
        raise Unfit("its columns have no plain names")
    columns = [_column(frame.iloc[:, n], writer) for n in range(len(labels))]
    return {"rows": len(frame), "labels": labels, "columns": columns}


def _column(column: pd.Series[Any], writer: _Writer) -> dict[str, Any]:
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and _PLAIN.fullmatch(dtype.str):
        raw = np.ascontiguousarray(column.to_numpy())
        return {"kind": "plain", "dtype": dtype.str, "data": writer.put(raw.view(np.uint8))}
    if isinstance(dtype, pd.StringDtype):
        codes, found = pd.factorize(column.array)
        return {"kind": "text", **_codes(codes, writer), **_texts(found.to_numpy(object).tolist(), writer)}
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return {"kind": "mixed", **_mixed(column.tolist(), writer)}
    raise Unfit(f"a column of type {dtype} is not supported")


def _codes(codes: Any, writer: _Writer) -> dict[str, Any]:
    return {"codes": writer.put(np.ascontiguousarray(codes, dtype="<i4").view(np.uint8))}


def _texts(found: list[str], writer: _Writer) -> dict[str, Any]:
    parts = [text.encode("utf-8", "surrogatepass") for text in found]
    ends = np.cumsum([len(part) for part in parts], dtype="<i8")
    return {"count": len(parts), "ends": writer.put(ends.view(np.uint8)), "bytes": writer.put(b"".join(parts))}


def _mixed(cells: list[Any], writer: _Writer) -> dict[str, Any]:
    """Values of several types, each of them plain."""
    known: dict[tuple[str, Any], int] = {}
    codes = np.empty(len(cells), dtype="<i4")
    for number, cell in enumerate(cells):
        mark = _SCALARS.get(type(cell))
        if mark is None:
            raise Unfit(f"a column holds values of type {type(cell).__name__}")
        codes[number] = known.setdefault((mark, repr(cell) if mark == "f" else cell), len(known))
    return {**_codes(codes, writer), **_texts([mark + str(value) for mark, value in known], writer)}


def read(fd: int) -> Loaded:
    """Builds what write wrote. Raises Unfit, whatever the file holds."""
    size = os.fstat(fd).st_size
    if size < 16:
        raise Unfit("it is too short")
    with mmap.mmap(fd, size, access=mmap.ACCESS_READ) as data:
        length = int.from_bytes(data[size - 16 : size - 8], "little")
        if data[size - 8 :] != _MAGIC or length > min(HEADER, size - 16):
            raise Unfit("it has no header")
        try:
            return _Reader(data, size - 16 - length).loaded(json.loads(data[size - 16 - length : size - 16]))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError) as error:
            raise Unfit(f"its header is damaged: {type(error).__name__}") from None


class _Reader:
    """Builds frames from the first `size` bytes of data; copies all it takes."""

    def __init__(self, data: mmap.mmap, size: int) -> None:
        self._data = data
        self._size = size

    def loaded(self, said: dict[str, Any]) -> Loaded:
        if len(said["frames"]) > FRAMES or len(said["keys"]) > FRAMES:
            raise Unfit("it has too many tables")
        frames = [self._frame(frame) for frame in said["frames"]]
        found = Loaded()
        for key, number in said["keys"].items():
            found.frames[key] = frames[number]
        found.first = found.frames[said["first"]] if said["first"] else None
        found.descriptions = list(said["descriptions"])
        return found

    def _frame(self, said: dict[str, Any]) -> pd.DataFrame:
        rows, labels, columns = said["rows"], said["labels"], said["columns"]
        if len(labels) != len(columns) or len(labels) > COLUMNS:
            raise Unfit("its columns do not fit their names")
        if type(rows) is not int or rows < 0 or not all(type(label) in (str, int) for label in labels):
            raise Unfit("its columns have no plain names")
        built = dict(enumerate(self._column(column, rows) for column in columns))
        frame = pd.DataFrame(built, index=pd.RangeIndex(rows), copy=False)
        frame.columns = pd.Index(labels) if labels else pd.Index([], dtype="str")
        return frame

    def _column(self, said: dict[str, Any], rows: int) -> Any:
        if said["kind"] == "plain":
            if not _PLAIN.fullmatch(said["dtype"]):
                raise Unfit("a column has another type")
            return self._numbers(said["data"], said["dtype"], rows)
        codes = self._numbers(said["codes"], "<i4", rows)
        found = list(self._texts(said))
        # Comparing text writes its hash and looking at it its count: done here,
        # so that no child copies a page for it.
        list(map(hash, found))
        immortal.mark(found)
        if rows and (int(codes.min()) < -1 or int(codes.max()) >= len(found)):
            raise Unfit("a column has values that it does not hold")
        if said["kind"] == "text":
            cells = np.array([*found, np.nan], dtype=object)  # -1 is the last one
            return pd.array(cells[codes], dtype="str")
        if said["kind"] != "mixed" or (rows and int(codes.min()) < 0):
            raise Unfit("a column has another kind")
        cells = np.empty(len(found), dtype=object)
        cells[:] = [_value(text) for text in found]
        return cells[codes]

    def _bytes(self, place: list[int]) -> memoryview:
        start, length = place
        if type(start) is not int or type(length) is not int or start < 0 or length < 0 or start + length > self._size:
            raise Unfit("a column lies outside")
        return memoryview(self._data)[start : start + length]

    def _numbers(self, place: list[int], dtype: str, rows: int) -> Any:
        with self._bytes(place) as raw:
            if len(raw) != rows * np.dtype(dtype).itemsize:
                raise Unfit("a column has another length")
            numbers = np.frombuffer(bytearray(raw), dtype=dtype)
        if numbers.dtype.kind == "b":
            return numbers.view(np.uint8) != 0  # another byte than 0 and 1 is no truth value
        return numbers

    def _texts(self, said: dict[str, Any]) -> Iterator[str]:
        ends = self._numbers(said["ends"], "<i8", said["count"])
        with self._bytes(said["bytes"]) as raw:
            if len(ends) and (int(ends[0]) < 0 or bool((np.diff(ends) < 0).any()) or int(ends[-1]) > len(raw)):
                raise Unfit("text lies outside")
            begin = 0
            for end in ends.tolist():
                yield str(raw[begin:end], "utf-8", "surrogatepass")
                begin = end


def _value(text: str) -> Any:
    mark, rest = text[:1], text[1:]
    if mark == "s":
        return rest
    if mark == "i":
        return int(rest)
    if mark == "f":
        return float(rest)
    if mark == "b" and rest in ("True", "False"):
        return rest == "True"
    if mark == "n":
        return None
    raise Unfit("a value has no type")
