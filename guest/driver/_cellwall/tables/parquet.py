"""Reads Parquet, as much of it as the row limit needs.

The reader library stands beside the other packages, not among them: whatever
imports it has a second thread and 34 MB more. It is imported here, when the
first Parquet file arrives, and told to use this thread and the plain allocator.

A damaged file may make the library abort the process. The frame of the file is
therefore checked before; what is left the wall reports as a crash.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

import numpy as np
import pandas as pd

from . import columns, errors, names
from .errors import Unreadable
from .model import Limit, Parsed, Table
from .source import Source

# Where an environment keeps what is imported on demand.
ON_DEMAND = os.path.join(sys.prefix, "lib", "cellwall", "parquet")
# The plain allocator, and no thread of the one that is not used. Set for the
# import only: user code keeps the environment it knows.
_ALLOCATOR = {"ARROW_DEFAULT_MEMORY_POOL": "system", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
_MAGIC = b"PAR1"
_BATCH = 8192


def read(source: Source, limit: Limit, name: str) -> Parsed:
    """Parses a Parquet file. Raises Unreadable."""
    _check_frame(source.data, name)
    arrow, parquet = library(name)
    try:
        given = io.BytesIO(source.data) if source.packed else source.path
        with parquet.ParquetFile(given, pre_buffer=False, memory_map=False, page_checksum_verification=True) as file:
            return _read(arrow, file, limit, name)
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as e:
        raise Unreadable(f"{name} is a damaged Parquet file ({str(e)[:160]}): write it again") from e


def _check_frame(data: Any, name: str) -> None:
    """A Parquet file ends in the length of its footer and a magic word."""
    size = len(data)
    if size < 12 or data[size - 4 : size] != _MAGIC:
        raise Unreadable(f"{name} is cut off: a Parquet file ends in PAR1; upload it again")
    footer = int.from_bytes(data[size - 8 : size - 4], "little")
    if footer == 0 or footer > size - 12:
        raise Unreadable(f"{name} is a damaged Parquet file (its footer does not fit): write it again")


def library(name: str) -> tuple[Any, Any]:
    """Imports the reader. Raises Unreadable where the environment has none."""
    before = {k: os.environ.get(k) for k in _ALLOCATOR}
    os.environ.update(_ALLOCATOR)
    try:
        if ON_DEMAND not in sys.path:
            sys.path.append(ON_DEMAND)
        import pyarrow
        import pyarrow.parquet
    except ImportError as e:
        raise Unreadable(f"{name} is Parquet, which this environment cannot read: upload it as CSV") from e
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    return pyarrow, pyarrow.parquet


def _read(arrow: Any, file: Any, limit: Limit, name: str) -> Parsed:
    parsed = Parsed("parquet", [])
    schema, total = file.schema_arrow, file.metadata.num_rows
    if len(schema) > errors.MAX_COLUMNS:
        raise Unreadable(f"{name} has {len(schema)} columns, more than {errors.MAX_COLUMNS}: write fewer")
    if not len(schema):
        raise Unreadable(f"{name} has no columns: write it again")
    kept = limit.pick(total)
    table = arrow.Table.from_batches(list(_batches(arrow, file, kept)), schema=schema)
    expected = total if kept is None else len(kept)
    if table.num_rows != expected:
        raise Unreadable(f"{name} promises {total} rows and does not have them: write it again")
    labels = names.tidy(schema.names, parsed.warnings)
    kinds: dict[str, str] = {}
    data = {n: _column(arrow, table.column(i), n, kinds) for i, n in enumerate(labels)}
    frame = pd.DataFrame(data, columns=pd.Index(labels, dtype="str"))
    for label in labels:
        if frame[label].dtype.kind in "iu" and columns.named_like_identifier(label):
            kinds.setdefault(label, "identifier")
    parsed.tables.append(Table(frame, total, sample=limit.label(total), kinds=kinds))
    return parsed


def _batches(arrow: Any, file: Any, kept: np.ndarray | None) -> Any:
    """The record batches, or the kept rows of them; groups without any are skipped."""
    if kept is None:
        yield from file.iter_batches(batch_size=_BATCH, use_threads=False)
        return
    begin = 0
    for group in range(file.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if np.searchsorted(kept, begin) < np.searchsorted(kept, begin + size):
            at = begin
            for batch in file.iter_batches(batch_size=_BATCH, row_groups=[group], use_threads=False):
                low, high = np.searchsorted(kept, [at, at + batch.num_rows])
                if low < high:
                    yield batch.take(arrow.array(kept[low:high] - at))
                at += batch.num_rows
        begin += size


def _column(arrow: Any, column: Any, name: str, kinds: dict[str, str]) -> pd.Series[Any]:
    """Keeps what the type says: zones, decimals, lists, integers with gaps."""
    sort, types = column.type, arrow.types
    if types.is_dictionary(sort) and types.is_integer(sort.index_type):
        return _dictionary(column)
    if types.is_string(sort) or types.is_large_string(sort) or types.is_string_view(sort):
        return pd.Series(column.to_pylist(), dtype="str")
    if types.is_nested(sort):
        kinds[name] = "nested"
        return pd.Series(column.to_pylist(), dtype="object")
    if types.is_integer(sort) and column.null_count:
        return _integers(arrow, column, sort)
    if types.is_boolean(sort) and column.null_count:
        return pd.Series(column.to_pylist(), dtype="boolean")
    if types.is_decimal(sort) or types.is_date(sort) or types.is_time(sort) or types.is_binary(sort):
        if types.is_date(sort):
            kinds[name] = "date"
            return pd.Series(pd.to_datetime(pd.Series(column.to_pylist(), dtype="object"), errors="coerce"))
        return pd.Series(column.to_pylist(), dtype="object")
    return pd.Series(column.to_pandas())


def _dictionary(column: Any) -> pd.Series[Any]:
    whole = column.combine_chunks()
    chunks = whole.chunks if hasattr(whole, "chunks") else [whole]
    values = [v for chunk in chunks for v in chunk.to_pylist()]
    known = list(dict.fromkeys(v for chunk in chunks for v in chunk.dictionary.to_pylist() if v is not None))
    return pd.Series(pd.Categorical(values, categories=known))


def _integers(arrow: Any, column: Any, sort: Any) -> pd.Series[Any]:
    """Small integers with gaps become floats, as everywhere in pandas; large
    ones would lose digits and keep their type with pandas' own missing value."""
    values = column.to_pylist()
    if max((abs(v) for v in values if v is not None), default=0) < 1 << 53:
        return pd.Series([np.nan if v is None else v for v in values], dtype="float64")
    return pd.Series(values, dtype="UInt64" if arrow.types.is_unsigned_integer(sort) else "Int64")
