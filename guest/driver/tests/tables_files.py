"""Files for the tests of the readers."""

from __future__ import annotations

import pathlib
from typing import Any

import pandas as pd

from _cellwall import tables


class Folder:
    """Writes files and loads them."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def write(self, name: str, data: bytes | str) -> str:
        target = self.path / name
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(target)

    def load(
        self, name: str, data: bytes | str, rows: int = 10_000, sample: str = "random"
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        loaded = tables.load(self.write(name, data), name, rows, sample)
        return next(iter(loaded.frames.values())), loaded.description

    def refused(self, name: str, data: bytes | str) -> str:
        """The text of the refusal, which must name the file and a way forward."""
        try:
            self.load(name, data)
        except tables.Unreadable as e:
            text = str(e)
            assert ":" in text, text
            return text
        raise AssertionError(f"{name} was read")


def kinds(description: dict[str, Any]) -> dict[str, str]:
    return {c["name"]: c.get("kind", "") for c in description["columns"]}
