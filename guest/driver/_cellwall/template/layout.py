"""What writer and reader agree on."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

HEADER = 4 << 20  # bytes of JSON
FRAMES, COLUMNS = 256, 20_000
MAGIC = b"cellwall"
ALIGN = 64
PLAIN = re.compile(r"[<|=]?(?:[iu][1248]|f[248]|b1|[mM]8\[(?:s|ms|us|ns)\])")
LABELS = ("str", "object", "int64")
UNITS = ("s", "ms", "us", "ns")
# Of pandas' dtypes that keep a mask beside the values: those of the values.
MASKED = {
    **{f"{sign}nt{bits}": f"{sign.lower()}nt{bits}" for sign in ("I", "UI") for bits in (8, 16, 32, 64)},
    "Float32": "float32",
    "Float64": "float64",
    "boolean": "bool",
}


class Unfit(Exception):
    """Something that a template cannot hold, or that is none."""


def zone_said(zone: Any) -> str:
    """The name of a time zone."""
    if zone is UTC:
        return "utc"
    if type(zone) is ZoneInfo and zone.key:
        return f"zone {zone.key}"
    if type(zone) is timezone:
        return f"offset {zone.utcoffset(None).total_seconds()!r}"
    raise Unfit(f"times have a zone of type {type(zone).__name__}")


def zone_named(said: str) -> tzinfo:
    """The zone of a name."""
    kind, _, rest = said.partition(" ")
    if kind == "utc":
        return UTC
    if kind == "zone":
        return ZoneInfo(rest)
    if kind == "offset":
        return timezone(timedelta(seconds=float(rest)))
    raise Unfit("a time zone has another kind")
