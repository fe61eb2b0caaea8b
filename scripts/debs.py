"""debs.py LOCK: unpacks the Debian packages of a lock below .tools, once per content of it, and prints where.

Ends with 77, and the proof, on a host that cannot have them.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("vm")))

from packages import HOUSE, Unavailable, download


def unpack(lock: Path) -> Path:
    """The directory with the packages' files."""
    if platform.machine() != "x86_64" or shutil.which("dpkg-deb") is None:
        raise Unavailable(
            f"the packages are for x86_64 and dpkg-deb; this is {platform.machine()}, {platform.platform()}"
        )
    store = HOUSE / ".tools" / lock.stem
    place = store / hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    if place.exists():
        return place
    store.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="new.", dir=store))
    fresh.chmod(0o755)
    try:
        for line in lock.read_text().splitlines():
            if line.startswith("#"):
                continue
            name, _, sha256, _, path = line.split()
            deb = fresh / f"{sha256}.deb"
            download(name, path, sha256, deb)
            subprocess.run(["dpkg-deb", "-x", deb, fresh], check=True)
            deb.unlink()
        fresh.rename(place)
    except OSError:
        if not place.exists():  # else somebody was faster
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def main() -> int:
    """Unpack what the argument locks."""
    try:
        print(unpack(Path(sys.argv[1]).resolve()))
    except Unavailable as why:
        print(f"not here, proof: {why}", file=sys.stderr)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
