# Open a file that is small until it is opened, by variants.
import bz2
import gzip
import io
import lzma
import zlib

PART = bytes(4 << 20)
WANTED = 2 * WORLD["memory_bytes"]
times = WANTED // len(PART) + 1


def keep(stream):
    blocks, total = [], 0
    while part := stream.read(len(PART)):
        blocks.append(part)
        total += len(part)
    return total


def parquet():
    import pyarrow
    import pyarrow.parquet

    rows = pyarrow.table({"zero": pyarrow.array([0] * (len(PART) // 8), pyarrow.int64())})
    out = io.BytesIO()
    with pyarrow.parquet.ParquetWriter(out, rows.schema) as writer:
        for _ in range(times):
            writer.write_table(rows)
    print("OPENING", len(out.getvalue()), flush=True)
    return pyarrow.parquet.read_table(io.BytesIO(out.getvalue())).nbytes


def member(one):
    bomb = io.BytesIO(one * times)  # a file may hold many members after each other
    print("OPENING", len(bomb.getvalue()), flush=True)
    return bomb


variants = [
    lambda: keep(gzip.open(member(gzip.compress(PART, 1)))),
    lambda: keep(lzma.open(member(lzma.compress(PART, preset=0)))),
    lambda: keep(bz2.open(member(bz2.compress(PART)))),
    lambda: len(zlib.decompress(nested())),
    parquet,
]


def nested():
    """One stream, as a member of a zip archive is."""
    squeeze = zlib.compressobj(1)
    bomb = b"".join([squeeze.compress(PART) for _ in range(times)] + [squeeze.flush()])
    print("OPENING", len(bomb), flush=True)
    return bomb


escaped("bomb", f"{variants[WORLD['run']]() >> 20} MiB of {WORLD['memory_bytes'] >> 20}")
