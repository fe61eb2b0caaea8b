"""unpack_pip.py DEST: takes pip out of the Debian package that a build keeps in its cache.

A build of an environment fetches pip as a locked Debian package, so a host that has neither pip nor venv has
it afterwards. DEST becomes a directory to put on PYTHONPATH.
"""

import io
import os
import re
import sys
import tarfile
from pathlib import Path

LOCK = Path(__file__).parent.parent / "environments" / "python-data-basic" / "debs.lock"
INSIDE = "./usr/lib/python3/dist-packages/pip/"


def state_dir() -> Path:
    """The state directory, found as the binary finds it."""
    if given := os.environ.get("CELLWALL_STATE_DIR"):
        return Path(given)
    if os.geteuid() == 0:
        return Path("/var/lib/cellwall")
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "cellwall"


def member(archive: bytes, prefix: str) -> bytes:
    """One file of an ar archive, by the beginning of its name."""
    at = 8
    while at < len(archive):
        name, size = archive[at : at + 16].decode().strip(), int(archive[at + 48 : at + 58])
        if name.startswith(prefix):
            return archive[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise SystemExit(f"unpack pip: the package has no {prefix}")


def main() -> None:
    """Unpacks pip below the directory that the command line names."""
    dest = Path(sys.argv[1])
    found = re.search(r"^python3-pip \S+ ([0-9a-f]{64}) ", LOCK.read_text(), re.MULTILINE)
    if not found:
        raise SystemExit(f"unpack pip: {LOCK} locks no python3-pip")
    blob = state_dir() / "cache" / "blobs" / found[1]
    if not blob.exists():
        raise SystemExit(f"unpack pip: {blob} is missing; run: bin/cellwall env build python-data-basic --force")
    with tarfile.open(fileobj=io.BytesIO(member(blob.read_bytes(), "data.tar"))) as tar:
        for entry in tar:
            if entry.isreg() and entry.name.startswith(INSIDE) and ".." not in entry.name:
                target = dest / entry.name[len(INSIDE) - len("pip/") :]
                target.parent.mkdir(parents=True, exist_ok=True)
                content = tar.extractfile(entry)
                assert content is not None
                target.write_bytes(content.read())


if __name__ == "__main__":
    main()
