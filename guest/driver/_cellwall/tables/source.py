"""From a path to bytes and a format: what is inside decides, not the name."""

from __future__ import annotations

import gzip
import mmap
import os
import re
import zlib
from dataclasses import dataclass

from . import errors
from .errors import Unreadable

# Files above this are mapped instead of copied: only touched pages count.
_MAP_ABOVE = 8 << 20
_STEP = 1 << 20

# What begins like this is not a table; the second text says what helps.
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office document", "save it as .xlsx without a password"),
    (b"%PDF-", "a PDF", "export the table as CSV or XLSX"),
    (b"\x89PNG", "an image", "upload the data itself"),
    (b"\xff\xd8\xff", "an image", "upload the data itself"),
    (b"GIF8", "an image", "upload the data itself"),
    (b"\x7fELF", "a program", "upload a data file"),
    (b"MZ\x90", "a program", "upload a data file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it and upload the file in it"),
    (b"Rar!", "a RAR archive", "unpack it and upload the file in it"),
    (b"BZh", "a bzip2 file", "unpack it or pack it with gzip"),
    (b"\xfd7zXZ", "an xz file", "unpack it or pack it with gzip"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "unpack it or pack it with gzip"),
    (b"SQLite format 3", "an SQLite database", "export its tables as CSV"),
    (b"ARROW1", "an Arrow file", "save it as Parquet"),
    (b"ORC", "an ORC file", "save it as Parquet"),
    (b"Obj\x01", "an Avro file", "save it as Parquet"),
    (b"\x89HDF", "an HDF5 file", "export its tables as CSV or Parquet"),
)

# How markup begins. Reports of web programs are pages that are named .xls; a column may be named <TABLE>.
_MARKUP = re.compile(
    rb"\s*<(?:!doctype\s|!--|\?xml\s|(?:html|head|body|table|meta|style)(?:\s|>(?!\s*[,;|])))", re.IGNORECASE
)

_EXTENSIONS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".txt": "text", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


@dataclass(slots=True)
class Source:
    """A file's bytes, unpacked, with what its name and its content say."""

    data: bytes | mmap.mmap
    path: str  # of the packed file
    stem: str  # name without its known endings
    named: str  # format by name, "" when the ending says nothing
    content: str  # "parquet", "xlsx" or "text"
    packed: bool


def split_name(name: str) -> tuple[str, str, bool]:
    """Splits a file name into stem, format by name, and whether it says gzip."""
    stem, ext = os.path.splitext(name)
    packed = ext.lower() == ".gz"
    if packed:
        stem, ext = os.path.splitext(stem)
    named = _EXTENSIONS.get(ext.lower(), "")
    if not named:
        stem += ext
    return stem or name, named, packed


def open_source(path: str, name: str) -> Source:
    """Reads and unpacks a file. Raises Unreadable for what cannot be a table."""
    stem, named, _ = split_name(name)
    try:
        data = _read(path)
    except IsADirectoryError:
        raise Unreadable(f"{name} is a directory: upload the files in it one by one") from None
    except OSError as e:
        raise Unreadable(f"{name} cannot be read ({e.strerror}): check that the file exists and upload it again") from e
    if not len(data):
        raise Unreadable(f"{name} is empty (0 bytes): upload a file that has rows")
    packed = data[:2] == b"\x1f\x8b"
    if packed:
        data = _gunzip(path, name)
    return Source(data, path, stem, named, _content(data[:256], name), packed)


def _read(path: str) -> bytes | mmap.mmap:
    with open(path, "rb", buffering=0) as f:
        size = os.fstat(f.fileno()).st_size
        if size > _MAP_ABOVE:
            return mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        return f.readall()


def _gunzip(path: str, name: str) -> bytes:
    out = bytearray()
    try:
        with gzip.open(path, "rb") as f:
            while step := f.read(_STEP):
                out += step
                if len(out) > errors.MAX_EXPANDED:
                    raise Unreadable(
                        f"{name} unpacks to more than {errors.MAX_EXPANDED >> 20} MiB: "
                        "it may be a compression bomb; upload a smaller part, or Parquet"
                    )
    except (OSError, EOFError, zlib.error) as e:
        raise Unreadable(f"{name} is a damaged gzip file ({e}): upload it again") from e
    except MemoryError as e:
        raise Unreadable(f"{name} unpacks to more than the memory limit: upload a smaller part, or Parquet") from e
    if not out:
        raise Unreadable(f"{name} holds nothing when unpacked: upload a file that has rows")
    return bytes(out)


def _content(head: bytes, name: str) -> str:
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:4] == b"PARE":
        raise Unreadable(f"{name} is an encrypted Parquet file: save it without encryption")
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "xlsx"
    if head[:2] == b"\x1f\x8b":
        raise Unreadable(f"{name} is packed twice: unpack it once and upload it again")
    for magic, what, cure in _FOREIGN:
        if head.startswith(magic):
            raise Unreadable(f"{name} is {what}, not a table: {cure}")
    if _MARKUP.match(plain := head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"")):  # in UTF-16 as well
        what = "an XML file" if b"<?xml" in plain and b"<html" not in plain.lower() else "an HTML page"
        raise Unreadable(f"{name} is {what}, not a table: open it in a spreadsheet program and save it as .xlsx or CSV")
    return "text"
