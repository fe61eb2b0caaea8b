# One file under many names, and names for files of others.
import os

with open("big.bin", "wb") as file:
    file.write(b"x" * (4 << 20))
names = 1
for names in range(1, 100):
    os.link("big.bin", f"big-{names:02d}.bin")


def take(path, name):
    os.link(path, name)
    return name


def by_descriptor():
    # A file that is open, by descriptor: linkat, AT_SYMLINK_FOLLOW.
    fd = os.open("/workspace/input/numbers.csv", os.O_RDONLY)
    syscall(265, -100, f"/proc/self/fd/{fd}".encode(), -100, b"/workspace/output/taken-3.csv", 0x400)
    return "taken-3.csv"


attempt("passwd", take, "/etc/passwd", "taken-1.txt")
attempt("input", take, "/workspace/input/numbers.csv", "taken-2.csv")
attempt("descriptor", by_descriptor)
with open("plain.txt", "w") as file:
    file.write("plain")
print("LINKS", names + 1)
