"""Columns in a file as frames."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from .. import immortal
from ..inputs import Loaded
from . import cells
from .layout import COLUMNS, FRAMES, HEADER, LABELS, MAGIC, MASKED, PLAIN, UNITS, Unfit, zone_named

_DAMAGED = (ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError)


def read(fd: int) -> Loaded:
    """Builds what write wrote. Raises Unfit, whatever the file holds, and MemoryError."""
    size = os.fstat(fd).st_size
    if size < 16:
        raise Unfit("it is too short")
    with mmap.mmap(fd, size, access=mmap.ACCESS_READ) as data:
        length = int.from_bytes(data[size - 16 : size - 8], "little")
        if data[size - 8 :] != MAGIC or length > min(HEADER, size - 16):
            raise Unfit("it has no header")
        try:
            return _Reader(data, size - 16 - length).loaded(json.loads(data[size - 16 - length : size - 16]))
        except _DAMAGED as error:
            raise Unfit(f"its header is damaged: {type(error).__name__}") from None


class _Reader:
    """Builds frames from the first `size` bytes of data; copies all it takes."""

    def __init__(self, data: mmap.mmap, size: int) -> None:
        self._data = data
        self._size = size
        self._left = size

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
        if len(labels) != len(columns) or len(labels) > COLUMNS or said["label_type"] not in LABELS:
            raise Unfit("its columns do not fit their names")
        if type(rows) is not int or rows < 0 or not all(type(label) in (str, int) for label in labels):
            raise Unfit("its columns have no plain names")
        built = dict(enumerate(self._column(column, rows) for column in columns))
        frame = pd.DataFrame(built, index=pd.RangeIndex(rows), copy=False)
        frame.columns = pd.Index(labels, dtype=said["label_type"])
        return frame.copy() if said["whole"] else frame

    def _column(self, said: dict[str, Any], rows: int) -> Any:
        kind = said["kind"]
        if kind == "plain":
            return self._plain(said["data"], said["dtype"], rows)
        if kind == "zoned":
            if said["unit"] not in UNITS:
                raise Unfit("a column has another unit")
            moments = pd.Series(self._plain(said["data"], f"<M8[{said['unit']}]", rows))
            return moments.dt.tz_localize("UTC").dt.tz_convert(zone_named(said["zone"])).array
        if kind == "masked":
            values = self._plain(said["data"], np.dtype(MASKED[said["dtype"]]).str, rows)
            mask = self._plain(said["mask"], "|b1", rows)
            of = {"f": pd.arrays.FloatingArray, "b": pd.arrays.BooleanArray}.get(
                values.dtype.kind, pd.arrays.IntegerArray
            )
            return of(values, mask)
        codes = self._numbers(said["codes"], "<i4", rows)
        if rows and (int(codes.min()) < -1 or int(codes.max()) >= said["count"]):
            raise Unfit("a column has values that it does not hold")
        if kind == "category":
            return self._category(said, codes)
        return self._words(kind, said, codes)

    def _category(self, said: dict[str, Any], codes: Any) -> Any:
        if said["known"]["kind"] == "category" or type(said["count"]) is not int or said["count"] < 0:
            raise Unfit("categories of a column are categories")
        known = pd.Index(pd.Series(self._column(said["known"], said["count"])))
        return pd.Categorical.from_codes(codes, categories=known, ordered=bool(said["ordered"]))

    def _words(self, kind: str, said: dict[str, Any], codes: Any) -> Any:
        found: list[Any] = list(self._texts(said))
        if kind == "mixed":
            found = [cells.value(text) for text in found]
        # Comparing text writes its hash and looking at it its count: done here,
        # so that no child copies a page for it.
        for cell in found:
            if type(cell) is str:
                hash(cell)
        immortal.mark(found)
        values = np.empty(len(found) + 1, dtype=object)
        values[:-1] = found if kind == "text" else _alone(found)
        values[-1] = np.nan  # of -1
        if kind == "text":
            missing = pd.NA if said["missing"] == "NA" else np.nan
            return pd.array(values[codes], dtype=pd.StringDtype("python", na_value=missing))
        if kind != "mixed" or (len(codes) and int(codes.min()) < 0):
            raise Unfit("a column has another kind")
        return values[codes]

    def _bytes(self, place: list[int]) -> memoryview:
        start, length = place
        if type(start) is not int or type(length) is not int or start < 0 or length < 0 or start + length > self._size:
            raise Unfit("a column lies outside")
        self._left -= length
        if self._left < 0:
            raise Unfit("columns lie on each other")
        return memoryview(self._data)[start : start + length]

    def _numbers(self, place: list[int], dtype: str, rows: int) -> Any:
        with self._bytes(place) as raw:
            if len(raw) != rows * np.dtype(dtype).itemsize:
                raise Unfit("a column has another length")
            return np.frombuffer(bytearray(raw), dtype=dtype)

    def _plain(self, place: list[int], dtype: str, rows: int) -> Any:
        if not PLAIN.fullmatch(dtype):
            raise Unfit("a column has another type")
        numbers = self._numbers(place, dtype, rows)
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


def _alone(found: list[Any]) -> Any:
    """An array of the values; numpy would make lists of one length a table."""
    values = np.empty(len(found), dtype=object)
    for number, cell in enumerate(found):
        values[number] = cell
    return values
