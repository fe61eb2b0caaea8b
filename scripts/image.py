"""image.py DIR [BINARY]: an OCI image of our own as a layout below DIR, for x86_64; prints its digest.

Debian's Python 3 and certificates from image.lock; above them the static binary (built when none is given). No shell
and no package manager: environments come with the volume of its state, or are built from a filled cache (--offline).
The same tree gives the same digest: times are those of the epoch. Any tool that speaks OCI takes it: skopeo copy
oci:DIR docker://…, crane push.

Ends with 77, and the proof, on a host that cannot have the packages.
"""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("vm")))

from debs import unpack
from packages import HOUSE, Unavailable

EPOCH = "1970-01-01T00:00:00Z"
TAKEN_AWAY = (
    "usr/share/doc",
    "usr/share/man",
    "usr/share/lintian",
    "usr/share/locale",
    "usr/share/bug",
)
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
FOLDERS = {
    "dev": 0o755,
    "proc": 0o755,
    "sys": 0o755,
    "run": 0o755,
    "root": 0o700,
    "tmp": 0o1777,
    "var/lib/cellwall": 0o755,
    "etc/cellwall": 0o755,
}


class Layer:
    """A tar of files that are root's, in the order of their names."""

    def __init__(self) -> None:
        self.raw = io.BytesIO()
        self.tar = tarfile.TarFile(fileobj=self.raw, mode="w", format=tarfile.PAX_FORMAT)
        self.known: set[str] = set()

    def add(self, name: str, info: tarfile.TarInfo, content: bytes | None = None) -> None:
        """One entry, below its folders."""
        parent = os.path.dirname(name)
        if parent and parent not in self.known:
            folder = tarfile.TarInfo()
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            self.add(parent, folder)
        if name in self.known:
            return
        self.known.add(name)
        info.name, info.uid, info.gid, info.uname, info.gname, info.mtime = (
            name,
            0,
            0,
            "",
            "",
            0,
        )
        if content is not None:
            info.size = len(content)
        self.tar.addfile(info, io.BytesIO(content) if content is not None else None)

    def folder(self, name: str, mode: int) -> None:
        """An empty folder."""
        info = tarfile.TarInfo()
        info.type, info.mode = tarfile.DIRTYPE, mode
        self.add(name, info)

    def file(self, name: str, content: bytes, mode: int = 0o644) -> None:
        """A file of this content."""
        info = tarfile.TarInfo()
        info.mode = mode
        self.add(name, info, content)

    def tree(self, root: Path) -> None:
        """Everything below a folder, but what nobody reads in an image."""
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if name.startswith(TAKEN_AWAY):
                continue
            info = tarfile.TarInfo()
            info.mode = path.lstat().st_mode & 0o7777
            if path.is_symlink():
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
                self.add(name, info)
            elif path.is_dir():
                self.folder(name, info.mode)
            else:
                self.add(name, info, path.read_bytes())

    def close(self) -> bytes:
        """The whole of it."""
        self.tar.close()
        return self.raw.getvalue()


class Layout:
    """An OCI image layout (image-spec 1.1)."""

    def __init__(self, place: Path) -> None:
        self.blobs = place / "blobs" / "sha256"
        self.blobs.mkdir(parents=True)
        (place / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')

    def put(self, media: str, content: bytes) -> dict[str, object]:
        """A blob's descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        (self.blobs / digest).write_bytes(content)
        return {
            "mediaType": f"application/vnd.oci.image.{media}",
            "digest": f"sha256:{digest}",
            "size": len(content),
        }

    def json(self, media: str, document: object) -> dict[str, object]:
        """A document's descriptor."""
        return self.put(media, json.dumps(document, sort_keys=True).encode())


def debian() -> bytes:
    """What lies below the binary."""
    root, layer = unpack(HOUSE / "scripts" / "image.lock"), Layer()
    layer.tree(root)
    for name, text in FILES.items():
        layer.file(name, text.encode())
    certificates = sorted((root / "usr/share/ca-certificates").rglob("*.crt"))
    layer.file(
        "etc/ssl/certs/ca-certificates.crt",
        b"".join(c.read_bytes() for c in certificates),
    )
    link = tarfile.TarInfo()
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/ssl/certs/ca-certificates.crt"
    layer.add("usr/lib/ssl/cert.pem", link)  # where OpenSSL looks
    for name, mode in FOLDERS.items():
        layer.folder(name, mode)
    return layer.close()


def program(binary: Path) -> bytes:
    """The layer of the binary."""
    layer = Layer()
    layer.file("usr/local/bin/cellwall", binary.read_bytes(), 0o755)
    return layer.close()


def build(place: Path, binary: Path) -> str:
    """Writes the layout, and returns the digest of the image."""
    layout = Layout(place)
    layers, ids = [], []
    for raw in (debian(), program(binary)):
        ids.append("sha256:" + hashlib.sha256(raw).hexdigest())
        layers.append(layout.put("layer.v1.tar+gzip", gzip.compress(raw, mtime=0)))
    config = layout.json(
        "config.v1+json",
        {
            "architecture": "amd64",
            "os": "linux",
            "created": EPOCH,
            "config": {
                "Env": [
                    "PATH=/usr/local/bin:/usr/bin:/bin",
                    "CELLWALL_STATE_DIR=/var/lib/cellwall",
                    "NO_COLOR=1",
                ],
                "Entrypoint": ["/usr/local/bin/cellwall"],
                "Cmd": ["serve", "--listen", "0.0.0.0:8642", "--insecure"],
                "ExposedPorts": {"8642/tcp": {}},
                "Volumes": {"/var/lib/cellwall": {}},
                "StopSignal": "SIGTERM",
                "Labels": {
                    "org.opencontainers.image.title": "Cellwall",
                    "org.opencontainers.image.licenses": "Apache-2.0",
                },
            },
            "rootfs": {"type": "layers", "diff_ids": ids},
            "history": [{"created": EPOCH, "created_by": what} for what in ("scripts/image.lock", "cmd/cellwall")],
        },
    )
    image = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": layers,
    }
    manifest = layout.json("manifest.v1+json", image)
    named = manifest | {
        "platform": {"architecture": "amd64", "os": "linux"},
        "annotations": {"org.opencontainers.image.ref.name": "latest"},
    }
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [named],
    }
    (place / "index.json").write_text(json.dumps(index, sort_keys=True))
    return str(manifest["digest"])


def main() -> int:
    """Build what the arguments ask for."""
    place = Path(sys.argv[1])
    try:
        with tempfile.TemporaryDirectory() as made:
            binary = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(made) / "cellwall"
            if len(sys.argv) <= 2:
                command = [
                    "go",
                    "build",
                    "-trimpath",
                    "-o",
                    str(binary),
                    "./cmd/cellwall",
                ]
                subprocess.run(
                    command,
                    cwd=HOUSE,
                    env=os.environ | {"CGO_ENABLED": "0"},
                    check=True,
                )
            print(build(place, binary))
    except Unavailable as why:
        print(f"no image, proof: {why}", file=sys.stderr)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
