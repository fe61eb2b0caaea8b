"""One warm process for all tests, a folder and a fork for each program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., object]:
    """run(source, data={name: bytes}, timeout=60, **fields of Run) -> Outcome."""
    import harness

    def go(source: str, **more: object) -> object:
        return harness.execute(source, tmp_path, **more)

    return go


@pytest.fixture
def live(tmp_path: Path) -> Iterator[object]:
    """A session whose first state is made; see sessions.Live."""
    import sessions

    alive = sessions.Live(tmp_path)
    try:
        assert alive.begin().ok
        yield alive
    finally:
        alive.close()
