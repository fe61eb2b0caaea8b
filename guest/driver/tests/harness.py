"""Runs programs as a sandbox does: a warm process, a fork per program, real pipes."""

from __future__ import annotations

import base64
import json
import logging
import os
import selectors
import signal
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from _cellwall import execution, inputs, seeds, shell

_warm = False


@dataclass
class Outcome:
    """Everything one program left behind."""

    ok: bool | None = None  # None: it died before it could say
    frames: list[tuple[str, Any]] = field(default_factory=list)
    stdout: str = ""
    stderr: str = ""
    status: int = 0
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    pages_kb: int = 0

    def all(self, kind: str) -> list[Any]:
        return [payload for at, payload in self.frames if at == kind]

    @property
    def error(self) -> dict[str, Any]:
        (error,) = self.all("E")
        return error

    @property
    def main(self) -> dict[str, Any]:
        (value,) = [v["data"] for v in self.all("V") if v["is_main_result"]]
        return value

    def mime(self, kind: str) -> list[Any]:
        return [v["data"][kind] for v in self.all("V") if kind in v["data"]]

    def pngs(self) -> list[tuple[int, int]]:
        return [struct.unpack(">II", base64.b64decode(data)[16:24]) for data in self.mime("image/png")]

    def notices(self) -> dict[str, dict[str, str]]:
        return {n["code"]: n["args"] for n in self.all("N")}


def warm() -> None:
    global _warm
    if not _warm:
        shell.warm(["pandas", "numpy", "matplotlib.pyplot"])
        shell.warm_charts()
        shell.warm_readers()
        shell.settle()
        _warm = True


def execute(
    source: str,
    folder: Path,
    data: dict[str, bytes] | None = None,
    timeout: float = 60,
    **more: Any,
) -> Outcome:
    """Runs one program in a fork, its files below folder."""
    warm()
    folder.joinpath("output").mkdir(exist_ok=True)
    folder.joinpath("input").mkdir(exist_ok=True)
    for name, content in (data or {}).items():
        folder.joinpath("input", name).write_bytes(content)
    run = {
        "execution": "exec_test",
        "source": source,
        "file": "",
        "inputs": list(data or {}),
        "rows": 10_000,
        "sample": "random",
        "describe": False,
        "env": {},
        **more,
    }
    pipes = [os.pipe() for _ in range(3)]
    pid = os.fork()
    if pid == 0:
        _child(run, folder, [w for _, w in pipes])
    for _, write in pipes:
        os.close(write)
    return _collect(pid, [r for r, _ in pipes], timeout)


def _child(run: dict[str, Any], folder: Path, pipes: list[int]) -> None:
    # Taken before the program replaces them: a child that cannot end goes on with our tests.
    write, leave = os.write, os._exit
    try:
        os.setsid()
        logging.root.handlers.clear()  # the test runner's
        control = os.dup(pipes[2])
        os.dup2(pipes[0], 1)
        os.dup2(pipes[1], 2)
        os.closerange(3, control)
        execution.OUTPUT, inputs.INPUT = str(folder / "output"), str(folder / "input")
        encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode

        def send(kind: str, payload: Any) -> None:
            left = encode([kind, payload]).encode("ascii") + b"\n"
            while left:
                left = left[write(control, left) :]

        seeds.renew()
        pages = private()
        cpu, wall = time.process_time(), time.perf_counter()
        ok = shell.execute(run, send)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        send("Z", {"ok": ok, "cpu_ms": cpu * 1e3, "wall_ms": wall * 1e3, "pages_kb": private() - pages})
    except BaseException:
        import traceback

        try:
            write(2, b"DRIVER BROKE\n" + traceback.format_exc().encode())
        finally:
            leave(99)
    leave(0)


def private() -> int:
    """Kilobytes that are this process's own."""
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_"))


def _collect(pid: int, pipes: list[int], timeout: float) -> Outcome:
    parts: dict[int, list[bytes]] = {fd: [] for fd in pipes}
    end = time.monotonic() + timeout
    with selectors.DefaultSelector() as waiting:
        for fd in pipes:
            waiting.register(fd, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(0.0, end - time.monotonic()))
            if not ready:
                os.killpg(pid, signal.SIGKILL)
                end = time.monotonic() + 5
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                if chunk:
                    parts[key.fd].append(chunk)
                else:
                    waiting.unregister(key.fd)
    _, status = os.waitpid(pid, 0)
    stdout, stderr, control = (b"".join(parts[fd]) for fd in pipes)
    for fd in pipes:
        os.close(fd)
    out = Outcome(stdout=stdout.decode("utf-8"), stderr=stderr.decode("utf-8"), status=status)
    assert "DRIVER BROKE" not in out.stderr, out.stderr
    for line in control.splitlines():
        kind, payload = json.loads(line)
        if kind == "Z":
            out.ok = payload.pop("ok")
            out.cpu_ms, out.wall_ms, out.pages_kb = payload["cpu_ms"], payload["wall_ms"], payload["pages_kb"]
        else:
            out.frames.append((kind, payload))
    return out
