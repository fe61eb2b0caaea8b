# ruff: noqa: F821 - the line before this one has _sizes
import os

import pyarrow as pa
from pyarrow import parquet

_all = memoryview(open("parts.bin", "rb").read())
_tables = []
for _size in _sizes:
    _part, _all = _all[:_size], _all[_size:]
    _tables.append(parquet.read_table(pa.BufferReader(pa.py_buffer(_part)), use_threads=False))
os.remove("parts.bin")
parquet.write_table(pa.concat_tables(_tables, promote_options="permissive"), "snapshot.parquet")
