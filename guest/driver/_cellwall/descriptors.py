"""What this process has open, looked at once for all who deal with it before a fork."""

from __future__ import annotations

import os
import stat

_fstat, _listdir, _is_file = os.fstat, os.listdir, stat.S_ISREG


def opened() -> dict[int, os.stat_result]:
    """Every descriptor, and what is behind it."""
    found = {}
    for name in _listdir("/proc/self/fd"):
        try:
            found[int(name)] = _fstat(int(name))
        except OSError:
            continue  # that of the listing itself
    return found


def files(found: dict[int, os.stat_result]) -> list[int]:
    """Those of regular files."""
    return [number for number, what in found.items() if _is_file(what.st_mode)]
