"""The machine's disks: the first file system with init and modules, and the work disk with what is run."""

import json
import lzma
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import steps
from packages import HOUSE

ENVIRONMENT = "python-data-basic"

# With what they depend on, where they are no part of the kernel.
MODULES = ("virtio_pci", "virtio_blk", "squashfs", "overlay")


def environment() -> Path:
    """The root of the built environment."""
    command = [HOUSE / "bin/cellwall", "env", "show", ENVIRONMENT, "--json"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        raise SystemExit(f"vm: no environment; run: make env\n{told.stderr}")
    return Path(json.loads(told.stdout)["root"])


def go(*args: str | Path) -> None:
    """Runs go for the machine, whatever this one is."""
    subprocess.run(["go", *args], cwd=HOUSE, check=True, env=os.environ | {"CGO_ENABLED": "0", "GOARCH": "amd64"})


def build_work(work: Path, root: Path, wanted: Iterable[steps.Step]) -> None:
    """The work disk: test binaries, the cases, the environment's papers, and the plan."""
    (work / "bin").mkdir(parents=True)
    go("build", "-trimpath", "-o", work / "bin/cellwall", "./cmd/cellwall")
    for package in sorted({s.package for s in wanted if s.package}):
        place = work / "src" / package
        place.mkdir(parents=True)
        go("test", "-c", "-o", place / "tests", f"./{package}")
    shutil.copytree(HOUSE / "testdata/cases", work / "src/testdata/cases")
    store = root.parents[2]
    shutil.copy(store / f"{ENVIRONMENT}.json", work / "environment.json")
    plan = {
        "Environment": str(steps.STORE / "roots" / root.parent.name / "root"),
        "Files": {str(steps.STORE / f"{ENVIRONMENT}.json"): "/guest/environment.json"},
        "Steps": [s.plan() for s in wanted],
    }
    if (root.parent / "manifest").exists():
        shutil.copy(root.parent / "manifest", work / "manifest")
        plan["Files"][str(steps.STORE / "roots" / root.parent.name / "manifest")] = "/guest/manifest"
    (work / "plan.json").write_text(json.dumps(plan, indent=1))


def entry(name: str, mode: int, content: bytes, number: int) -> bytes:
    """One member of a cpio archive in the kernel's format."""
    fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4)


def modules_of(kernel: Path) -> dict[str, bytes]:
    """The modules to load, each after those it depends on."""
    found = {p.name.split(".")[0].replace("-", "_"): p for p in kernel.rglob("*.ko*")}
    ordered: dict[str, bytes] = {}

    def add(name: str) -> None:
        path = found.get(name)
        if path is None or name in ordered:
            return
        content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        needs = re.search(rb"\0depends=([^\0]*)\0", content)
        for other in needs[1].decode().split(",") if needs else []:
            add(other.replace("-", "_"))
        ordered[name] = content

    for name in MODULES:
        add(name)
    return ordered


def build_initrd(file: Path, kernel: Path) -> None:
    """The first file system: init and the modules."""
    init = file.with_name("init")
    go("build", "-trimpath", "-o", init, "./internal/vminit")
    members = [(d, 0o040755, b"") for d in ("dev", "proc", "new", "modules")] + [("init", 0o100755, init.read_bytes())]
    for n, (name, content) in enumerate(modules_of(kernel).items()):
        members.append((f"modules/{n:02}-{name}.ko", 0o100644, content))
    parts = [entry(*m, number) for number, m in enumerate(members, 1)]
    file.write_bytes(b"".join(parts) + entry("TRAILER!!!", 0, b"", 0))
