"""Drives a session as the host does: a warm process, a fork of it that serves cells."""

from __future__ import annotations

import logging
import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import harness
from _cellwall import execution, inputs, seeds, session
from _cellwall.channel import Channel
from harness import Outcome

PATIENCE = 30.0  # seconds for one frame


class Live:
    """The host's end of a live interpreter; its output is that of all its sisters."""

    def __init__(self, folder: Path) -> None:
        harness.warm()
        folder.joinpath("output").mkdir(exist_ok=True)
        folder.joinpath("input").mkdir(exist_ok=True)
        self.folder = folder
        self.count = 0
        self.pids: list[int] = []
        self._pipes = [os.pipe() for _ in range(2)]
        self.channel, theirs = _pair()
        pid = os.fork()
        if pid == 0:
            self._child(theirs)
        theirs.close()
        self.pid = pid
        self.pids.append(pid)

    def _child(self, theirs: socket.socket) -> None:
        try:
            os.setsid()
            logging.root.handlers.clear()  # the test runner's
            high = [os.dup(fd) for fd in (self._pipes[0][1], self._pipes[1][1], theirs.fileno())]
            for target, fd in enumerate(high, 1):
                os.dup2(fd, target, inheritable=target < 3)
            os.closerange(4, 1 << 16)
            execution.OUTPUT, inputs.INPUT = str(self.folder / "output"), str(self.folder / "input")
            seeds.renew()
            session.serve(Channel(socket.socket(fileno=3)))
        except BaseException:
            import traceback

            os.write(2, b"DRIVER BROKE\n" + traceback.format_exc().encode())
            os._exit(99)
        os._exit(0)

    def begin(self, data: dict[str, bytes] | None = None, **more: Any) -> Outcome:
        for name, content in (data or {}).items():
            self.folder.joinpath("input", name).write_bytes(content)
        begin = {"execution": "exec_0", "inputs": list(data or {}), "rows": 10_000, "sample": "random", "env": {}}
        self.channel.send("B", {**begin, **more})
        return self._outcome("exec_0")

    def send(self, source: str, **more: Any) -> None:
        """Sends a cell and does not wait for it."""
        self.count += 1
        cell = {
            "execution": f"exec_{self.count}",
            "source": source,
            "file": f"<cell {self.count}>",
            "count": self.count,
            "env": {},
        }
        self.channel.send("X", {**cell, **more})

    def cell(self, source: str, **more: Any) -> Outcome:
        self.send(source, **more)
        return self.end()

    def end(self) -> Outcome:
        """The end of the cell that was sent."""
        return self._outcome(f"exec_{self.count}")

    def say(self, source: str, **more: Any) -> str:
        """What a cell prints that must end well."""
        out = self.cell(source, **more)
        assert out.ok, (out.frames, out.stderr)
        return out.stdout

    def _outcome(self, execution: str) -> Outcome:
        out = Outcome()
        while out.ok is None:
            kind, payload = frame(self.channel)
            if kind == "Z":
                assert payload["execution"] == execution
                out.ok = payload["ok"]
            elif kind == "":
                break
            else:
                out.frames.append((kind, payload))
        out.stdout, out.stderr = (self._drain(read) for read, _ in self._pipes)
        assert "DRIVER BROKE" not in out.stderr, out.stderr
        return out

    def _drain(self, pipe: int) -> str:
        os.set_blocking(pipe, False)
        parts = []
        try:
            while data := os.read(pipe, 1 << 16):
                parts.append(data)
        except BlockingIOError:
            pass
        return b"".join(parts).decode("utf-8")

    def take(self, checkpoint: str = "cp_1") -> Snapshot:
        """Has the live interpreter fork a snapshot."""
        before = children()
        ours, theirs = _pair()
        self.channel.send("K", {"checkpoint": checkpoint}, (theirs.fileno(),))
        theirs.close()
        kind, standing = frame(ours)
        assert kind == "S" and standing["checkpoint"] == checkpoint and standing["error"] == "", (kind, standing)
        (pid,) = children() - before
        self.pids.append(pid)
        return Snapshot(checkpoint, ours, pid, standing["cannot"])

    def die(self) -> None:
        """Ends the live interpreter as a killed cell does."""
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.channel.close()

    def back(self, snapshot: Snapshot, reseed: bool = False) -> dict[str, dict[str, str]]:
        """Goes on from a snapshot; returns what is lost, by code."""
        before = children()
        self.channel, theirs = _pair()
        snapshot.channel.send("G", {"checkpoint": snapshot.id, "reseed": reseed}, (theirs.fileno(),))
        theirs.close()
        kind, up = frame(self.channel)
        assert kind == "U" and up["checkpoint"] == snapshot.id, (kind, up)
        (self.pid,) = children() - before
        self.pids.append(self.pid)
        return {notice["code"]: notice["args"] for notice in up["lost"]}

    def ask(self, kind: str, text: str = "", cursor: int | None = None) -> dict[str, Any]:
        cursor = len(text) if cursor is None else cursor
        self.channel.send("Y", {"id": 7, "kind": kind, "text": text, "cursor": cursor})
        kind, answer = frame(self.channel)
        assert kind == "J" and answer.pop("id") == 7
        return answer

    def export(self) -> tuple[bytes, dict[str, dict[str, str]]]:
        """The state as it goes to another sandbox, and what is not in it."""
        read, write = os.pipe()
        self.channel.send("O", {}, (write,))
        os.close(write)
        with open(read, "rb") as file:
            state = file.read()
        kind, said = frame(self.channel)
        assert kind == "W" and said["error"] == "", (kind, said)
        return state, {notice["code"]: notice["args"] for notice in said["lost"]}

    def arrive(self, state: bytes, **more: Any) -> Outcome:
        """Begins with another session's state."""
        read, write = os.pipe()
        begin = {"execution": "exec_0", "inputs": [], "rows": 10_000, "sample": "random", "env": {}}
        self.channel.send("B", {**begin, "state": True, **more}, (read,))
        os.close(read)
        with open(write, "wb") as file:
            try:
                file.write(state)
            except BrokenPipeError:
                pass
        return self._outcome("exec_0")

    def close(self) -> None:
        self.channel.close()
        for pid in self.pids:
            for kill in (os.kill, os.killpg):
                try:
                    kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                except OSError:
                    continue
        for pipe in self._pipes:
            os.close(pipe[0])
            os.close(pipe[1])


@dataclass
class Snapshot:
    """The host's end of a snapshot."""

    id: str
    channel: Channel
    pid: int
    cannot: list[dict[str, Any]]


def children() -> set[int]:
    """The children of this process, of which sisters are some."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return {int(pid) for pid in file.read().split()}


def _pair() -> tuple[Channel, socket.socket]:
    ours, theirs = socket.socketpair()
    return Channel(ours), theirs


def frame(channel: Channel) -> tuple[str, Any]:
    """The next frame, or an empty kind when the other side is gone."""
    from _cellwall.channel import Closed

    if not channel.waits(PATIENCE):
        raise TimeoutError("no frame came")
    try:
        kind, payload, _ = channel.receive()
    except (Closed, ConnectionResetError):
        return "", None
    return kind, payload
