# Links to what never ends, as artifacts.
import os

for name, target in {
    "zero.bin": "/dev/zero", "random.csv": "/dev/urandom", "second.txt": "first.txt", "first.txt": "/dev/zero",
    "up.bin": "../../dev/zero", "self.bin": "/proc/self/fd/1", "stdin.txt": "/dev/stdin", "memory.bin": "/proc/self/mem",
    "full.bin": "/dev/full", "devices": "/dev",
}.items():
    os.symlink(target, name)
with open("plain.txt", "w") as file:
    file.write("plain")
print("LINKS", len(os.listdir(".")))
