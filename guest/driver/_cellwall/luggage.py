"""The files of a session for another sandbox: names, links, modes, times and contents, as a tar section."""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from typing import Any

from .freight import Sender

_PORTION = 1 << 20


def pack(sender: Sender, folder: str) -> list[str]:
    """Sends what lies below a folder; returns the names of what does not go along."""
    lost: list[str] = []

    def fill(file: Any) -> None:
        with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as tar:
            for path, name in _walk(folder, "", lost):
                try:
                    _add(tar, path, name, lost)
                except (OSError, ValueError) as error:
                    if isinstance(error, BrokenPipeError):
                        raise
                    lost.append(name)

    sender.section({"kind": "files"}, fill)
    return lost


def _walk(folder: str, name: str, lost: list[str]) -> Iterator[tuple[str, str]]:
    """Paths and names, a folder before what is in it."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:  # shut, or too deep for a path
        lost.append(name + "/")
        return
    for entry in entries:
        inner = f"{name}/{entry.name}" if name else entry.name
        yield entry.path, inner
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, inner, lost)


def _add(tar: tarfile.TarFile, path: str, name: str, lost: list[str]) -> None:
    info = tar.gettarinfo(path, name)
    if info is None:  # a socket
        lost.append(name)
        return
    if not info.isreg():
        tar.addfile(info)
        return
    with open(path, "rb", buffering=0) as file:
        room = os.fstatvfs(file.fileno())
        if info.size > room.f_blocks * room.f_frsize:  # mostly a hole
            lost.append(name)
            return
        tar.addfile(info, _Padded(file))  # type: ignore[arg-type]


class _Padded:
    """A file that is as long as it was, also when somebody makes it shorter meanwhile."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size and (more := self._file.read(min(size - len(data), _PORTION))):
            data += more
        return bytes(data) + bytes(size - len(data))


def unpack(body: Any, folder: str) -> list[str]:
    """Puts what pack sent below a folder; returns the names of what found no place."""
    lost: list[str] = []
    folders: list[tarfile.TarInfo] = []
    with tarfile.open(fileobj=body, mode="r|") as tar:
        for info in tar:
            try:
                if info.isdir():
                    folders.append(info)
                    os.mkdir(os.path.join(folder, info.name), 0o700)
                else:
                    tar.extract(info, folder, filter=tarfile.fully_trusted_filter)
            except (OSError, tarfile.ExtractError):
                lost.append(info.name)
    for info in reversed(folders):  # what was put there moved their times
        path = os.path.join(folder, info.name)
        try:
            os.utime(path, (info.mtime, info.mtime))
            os.chmod(path, stat.S_IMODE(info.mode))
        except OSError:
            lost.append(info.name + "/")
    return lost
