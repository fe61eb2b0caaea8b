# Leave links where the controller collects artifacts.
import os

for name, target in {
    "canary.txt": WORLD["canary_file"],
    "passwd.csv": "/etc/passwd",
    "environ.txt": "/proc/self/environ",
    "relative.txt": "../../../../../.." + WORLD["canary_file"],
    "folder": os.path.dirname(WORLD["canary_file"]),
    "dangling.txt": "/nowhere/at/all",
    "loop.txt": "loop.txt",
    "endless.bin": "/dev/zero",
    "twin.txt": "plain.txt",
}.items():
    os.symlink(target, name)
with open("plain.txt", "w") as file:
    file.write("plain")
print("LINKS", len(os.listdir(".")))
