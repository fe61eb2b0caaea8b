"""The Debian packages that the machine is made of, locked in debs.lock and fetched through the host's apt."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
STORE = HOUSE / ".tools" / "vm"
LOCK = Path(__file__).with_name("debs.lock")
LOCKED = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]  # names what was unpacked from it
APT_HELPER = Path("/usr/lib/apt/apt-helper")

KERNELS = {"6.1": "linux-image-6.1.0-50-cloud-amd64"}


class Unavailable(Exception):
    """This host cannot run the machine; the text is the proof."""


def mirrors() -> list[str]:
    """The base addresses of Debian's archive in the host's apt configuration."""
    if not APT_HELPER.exists():
        raise Unavailable(f"{APT_HELPER} is not there")
    told = subprocess.run(["apt-get", "update", "--print-uris"], capture_output=True, text=True, check=False)
    found = re.findall(r"^'(\S+?)/dists/[^/]+/main/binary-", told.stdout, re.MULTILINE)
    if not found:
        raise Unavailable("apt's configuration on this host names no mirror")
    return list(dict.fromkeys(found))


def fetch(names: set[str] | None) -> list[Path]:
    """The locked packages with these names, or all that are no kernel."""
    (STORE / "debs").mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for line in LOCK.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, _, sha256, _, path = line.split()
        if (name not in names) if names else name.startswith("linux-image"):
            continue
        file = STORE / "debs" / f"{sha256}.deb"
        if not file.exists():
            download(name, path, sha256, file)
        files.append(file)
    return files


def download(name: str, path: str, sha256: str, file: Path) -> None:
    """One package, from the first mirror that has it; apt checks the digest."""
    print(f"vm: fetching {name}", file=sys.stderr, flush=True)  # stdout is for what is asked
    said = ""
    for mirror in mirrors():
        url = f"{mirror}/{path.replace('+', '%2b').replace('~', '%7e').replace(':', '%3a')}"
        partial = file.with_suffix(f".{os.getpid()}")
        options = ["-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3"]
        command = [APT_HELPER, *options, "download-file", url, partial, f"SHA256:{sha256}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            partial.rename(file)
            return
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
    raise Unavailable(f"no mirror gave {name}; apt said: {said}")


def unpacked(what: str, names: set[str] | None) -> Path:
    """A directory with the packages' files, made once per lock."""
    place = STORE / what
    if not place.exists():
        STORE.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f"{what}.", dir=STORE))
        fresh.chmod(0o755)
        for deb in fetch(names):
            subprocess.run(["dpkg-deb", "-x", deb, fresh], check=True)
        try:
            fresh.rename(place)
        except OSError:  # somebody was faster
            shutil.rmtree(fresh)
    return place


def kernel(release: str) -> Path:
    """A kernel and its modules."""
    return unpacked(f"kernel-{release}-{LOCKED}", {KERNELS[release]})


class Tools:
    """QEMU and mksquashfs, called through the loader of their own libc."""

    def __init__(self) -> None:
        self.root = unpacked(f"qemu-{LOCKED}", None)
        libraries = [self.root / "lib/x86_64-linux-gnu", self.root / "usr/lib/x86_64-linux-gnu"]
        loader = self.root / "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
        os.environ["QEMU_MODULE_DIR"] = str(libraries[1] / "qemu")
        self.prefix = [loader, "--inhibit-cache", "--library-path", ":".join(map(str, libraries))]

    def command(self, name: str) -> list[str | Path]:
        """How one of the programs is called."""
        return [*self.prefix, self.root / "usr/bin" / name]

    def qemu(self) -> list[str | Path]:
        """The machine's command line, up to what differs between two of them."""
        line = self.command("qemu-system-x86_64")
        for firmware in ("qemu", "seabios"):
            line += ["-L", self.root / "usr/share" / firmware]
        flags = "-M q35 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 -nodefaults -no-user-config"
        return [*line, *flags.split(), "-display", "none", "-no-reboot"]

    def squash(self, source: Path, image: Path) -> None:
        """A disk of a directory: everything root's, nothing compressed."""
        flags = ["-noI", "-noD", "-noF", "-noX", "-all-root", "-no-progress", "-quiet", "-noappend"]
        command = [*self.command("mksquashfs"), source, image, *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"vm: mksquashfs failed: {done.stderr}")
