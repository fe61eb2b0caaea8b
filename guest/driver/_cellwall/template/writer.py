"""Frames as columns in a file."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from ..inputs import Loaded
from . import cells
from .layout import ALIGN, HEADER, LABELS, MAGIC, MASKED, PLAIN, Unfit, zone_said


class _Writer:
    """Appends buffers to a file and says where they are."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._at = 0

    def put(self, data: Any) -> list[int]:
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        self._file.write(view)
        place = [self._at, len(view)]
        padding = -len(view) % ALIGN
        self._file.write(bytes(padding))
        self._at += len(view) + padding
        return place

    def numbers(self, values: Any, dtype: Any = None) -> list[int]:
        return self.put(np.ascontiguousarray(values, dtype=dtype).view(np.uint8))


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
        file.write(len(header).to_bytes(8, "little") + MAGIC)


def _frame(frame: pd.DataFrame, writer: _Writer) -> dict[str, Any]:
    index, columns = frame.index, frame.columns
    if type(index) is not pd.RangeIndex or index.start != 0 or index.step != 1 or index.name is not None:
        raise Unfit("its rows have labels")
    labels = list(columns)
    if columns.nlevels != 1 or columns.name is not None or not all(type(label) in (str, int) for label in labels):
        raise Unfit("its columns have no plain names")
    if str(columns.dtype) not in LABELS:
        raise Unfit(f"the names of its columns are of type {columns.dtype}")
    return {
        "rows": len(frame),
        "labels": labels,
        "label_type": str(columns.dtype),
        "whole": bool(frame._mgr.is_consolidated()),
        "columns": [_column(frame.iloc[:, n], writer) for n in range(len(labels))],
    }


def _column(column: pd.Series[Any], writer: _Writer) -> dict[str, Any]:
    dtype: Any = column.dtype
    if isinstance(dtype, np.dtype):
        if PLAIN.fullmatch(dtype.str):
            return {"kind": "plain", "dtype": dtype.str, "data": writer.numbers(column.to_numpy())}
        if dtype.kind == "O":
            return {"kind": "mixed", **_mixed(column.tolist(), writer)}
    elif isinstance(dtype, pd.StringDtype) and dtype.storage == "python":
        codes, found = pd.factorize(column.array)
        missing = "NA" if dtype.na_value is pd.NA else "nan"
        said = _texts(found.to_numpy(object).tolist(), writer)
        return {"kind": "text", "missing": missing, "codes": writer.numbers(codes, "<i4"), **said}
    elif isinstance(dtype, pd.CategoricalDtype):
        known = _column(pd.Series(dtype.categories), writer)
        codes = writer.numbers(column.cat.codes, "<i4")
        return {
            "kind": "category",
            "ordered": bool(dtype.ordered),
            "codes": codes,
            "count": len(dtype.categories),
            "known": known,
        }
    elif isinstance(dtype, pd.DatetimeTZDtype):
        moments = column.to_numpy(f"M8[{dtype.unit}]")
        return {"kind": "zoned", "unit": dtype.unit, "zone": zone_said(dtype.tz), "data": writer.numbers(moments)}
    elif str(dtype) in MASKED:
        values = column.to_numpy(MASKED[str(dtype)], na_value=0)
        return {
            "kind": "masked",
            "dtype": str(dtype),
            "data": writer.numbers(values),
            "mask": writer.numbers(column.isna()),
        }
    raise Unfit(f"a column of type {dtype} is not supported")


def _texts(found: list[str], writer: _Writer) -> dict[str, Any]:
    parts = [text.encode("utf-8", "surrogatepass") for text in found]
    ends = np.cumsum([len(part) for part in parts], dtype="<i8")
    return {"count": len(parts), "ends": writer.numbers(ends), "bytes": writer.put(b"".join(parts))}


def _mixed(values: list[Any], writer: _Writer) -> dict[str, Any]:
    """Values of several types: each once, but for those that can be changed."""
    known: dict[Any, int] = {}
    texts: list[str] = []
    codes = np.empty(len(values), dtype="<i4")
    for number, cell in enumerate(values):
        text = cells.said(cell)
        own: Any = number if text.startswith(cells.NESTED) else text
        code = known.setdefault(own, len(texts))
        if code == len(texts):
            texts.append(text)
        codes[number] = code
    return {"codes": writer.numbers(codes), **_texts(texts, writer)}
