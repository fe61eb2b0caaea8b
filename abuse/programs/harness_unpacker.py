# A controller that unpacks what it collected.
import os
import subprocess
import sys
import tarfile
import zipfile

GOAL = WORLD["writable"] + "/owned"
subprocess.run([sys.executable, sys.argv[1]])
os.makedirs("/tmp/unpacked")
os.chdir("/tmp/unpacked")
with zipfile.ZipFile("/workspace/output/up.zip") as archive:
    for member in archive.infolist():
        if member.filename.startswith("../"):  # as simple tools do: join and write
            with open(os.path.join("/tmp/unpacked", member.filename), "wb") as file:
                file.write(archive.read(member))
if os.path.exists(GOAL):
    escaped("zip", "a member was written where it pointed")
    os.remove(GOAL)
with tarfile.open("/workspace/output/up.tar") as archive:
    for member in archive.getmembers()[:2]:
        archive.extract(member, **({"filter": "fully_trusted"} if hasattr(tarfile, "data_filter") else {}))
if os.path.exists(GOAL):
    escaped("tar", "a member was written through a link of the archive")
