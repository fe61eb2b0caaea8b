"""From bytes in some encoding to UTF-8, with the encoding's name.

UTF-8 is tried first and strictly: text in another encoding that passes as
UTF-8 does not occur in practice. Everything behind this module sees UTF-8.
"""

from __future__ import annotations

import codecs
import io
import mmap
from dataclasses import dataclass, field

from . import charsets, errors
from .errors import Unreadable

_STEP = 1 << 20
_SAMPLE = 16 << 10
_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
)
# How the description names a codec.
_NAMES = {"cp932": "shift_jis", "cp949": "euc_kr"}
_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\r\x0b\x0c\x1a\x1b\x00")


@dataclass(slots=True)
class Text:
    """UTF-8 text from `start` on, without a mark."""

    data: bytes | mmap.mmap
    start: int
    encoding: str
    warnings: list[str] = field(default_factory=list)

    def head(self, size: int) -> bytes:
        """The first bytes of the text; may end inside a character."""
        return self.data[self.start : self.start + size]


def to_utf8(data: bytes | mmap.mmap, name: str, spool: str = "") -> Text:
    """Finds the encoding. Raises Unreadable for what is no text.

    What has to be written anew lies in memory, or in a file named by spool.
    """
    for mark, codec, label in _MARKS:
        if data[: len(mark)] == mark:
            if codec == "utf-8":
                return _utf8(data, len(mark), name, spool)
            return _transcode(data, len(mark), codec, label, name, spool)
    head = data[:4096]
    wide = _wide_without_mark(head) if 0 in head else ""
    if wide:
        text = _transcode(data, 0, wide, "utf-16", name, spool)
        text.warnings.append("encoding guessed: utf-16 without a byte order mark")
        return text
    return _utf8(data, 0, name, spool)


def _utf8(data: bytes | mmap.mmap, start: int, name: str, spool: str) -> Text:
    bad = _first_invalid(data, start)
    if bad < 0:
        return _without_nul(Text(data, start, "utf-8"), name)
    line = data.rfind(b"\n", 0, bad) + 1
    sample = data[max(start, line, bad - 1024) : bad + _SAMPLE]
    if _mostly_utf8(data[max(start, bad - _SAMPLE) : bad + _SAMPLE]):
        return _transcode(data, start, "utf-8", "utf-8", name, spool)
    _refuse_binary(data[start : start + _SAMPLE], name)
    codec, score = charsets.guess(sample)
    label = _NAMES.get(codec, codec)
    if codec == "cp1252" and not any(0x80 <= b <= 0x9F for b in sample):
        codec = label = "latin-1"
    text = _transcode(data, start, codec, label, name, spool)
    sure = "guessed" if score >= 0.4 else "uncertain, read as"
    text.warnings.insert(0, f"encoding {sure}: {label}" + ("" if sure == "guessed" else "; save the file as UTF-8"))
    return text


def _first_invalid(data: bytes | mmap.mmap, start: int) -> int:
    """The position of the first byte that breaks UTF-8, or -1."""
    if isinstance(data, bytes) and data.isascii():
        return -1
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    for at in range(start, len(data), _STEP):
        step = data[at : at + _STEP]
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(step, at + _STEP >= len(data))
        except UnicodeDecodeError as e:
            return at - held + e.start
    return -1


def _wide_without_mark(head: bytes) -> str:
    """UTF-16 betrays itself by the zero halves of its ASCII characters."""
    pairs = list(zip(head[::2], head[1::2], strict=False))
    little = sum(high == 0 and 9 <= low < 127 for low, high in pairs)
    big = sum(high == 0 and 9 <= low < 127 for high, low in pairs)
    if (little + big) * 12 < len(pairs) or not pairs:
        return ""
    if little >= 3 * big:
        return "utf-16-le"
    return "utf-16-be" if big >= 3 * little else ""


def _mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    good = sum(c >= "\x80" for c in text) - broken
    return good >= 5 and broken * 20 <= good


def _refuse_binary(head: bytes, name: str) -> None:
    odd = len(head) - len(head.translate(None, _CONTROLS)) + head.count(0)
    if odd * 50 > len(head):
        raise Unreadable(f"{name} is not text and no known format: upload CSV, TSV, XLSX, JSON, JSONL or Parquet")


def _transcode(data: bytes | mmap.mmap, start: int, codec: str, label: str, name: str, spool: str) -> Text:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    out: io.BufferedIOBase = open(spool, "wb+") if spool else io.BytesIO()  # noqa: SIM115
    most = errors.MAX_SPOOLED if spool else errors.MAX_EXPANDED
    replaced, line, lines = 0, 0, 1
    for at in range(start, len(data), _STEP):
        step = decoder.decode(data[at : at + _STEP], at + _STEP >= len(data))
        if "\ufffd" in step:
            if not replaced:
                line = lines + step.count("\n", 0, step.index("\ufffd"))
            replaced += step.count("\ufffd")
        lines += step.count("\n")
        out.write(step.encode("utf-8", "replace"))
        if out.tell() > most:
            raise Unreadable(f"{name} is more than {most >> 20} MiB as text: upload a smaller part")
    text = Text(_written(out), 0, label)
    if replaced:
        text.warnings.append(
            f"{replaced} places are not valid {label} and were replaced by \ufffd, first in line {line}"
        )
    return _without_nul(text, name)


def _written(out: io.BufferedIOBase) -> bytes | mmap.mmap:
    if isinstance(out, io.BytesIO):
        return out.getvalue()
    out.flush()
    return mmap.mmap(out.fileno(), 0, access=mmap.ACCESS_READ)


def _without_nul(text: Text, name: str) -> Text:
    if text.data.find(b"\0", text.start) < 0:
        return text
    body = text.data[text.start :]
    nul = body.count(b"\0")
    if nul * 10 > len(body):
        raise Unreadable(f"{name} is mostly NUL bytes, not text: it may be damaged; upload it again")
    text.data, text.start = body.replace(b"\0", b""), 0
    text.warnings.append(f"{nul} NUL bytes were removed: the file may be damaged")
    return text
