# Files that say they are large and hold nothing.
import os

for name, size in {"sparse.bin": 1 << 50, "half.bin": 1 << 30}.items():
    with open(name, "wb") as file:
        try:
            file.truncate(size)
        except OSError as error:
            held(name, _errno.errorcode[error.errno])
for i in range(8):
    with open(f"part{i}.bin", "wb") as file:
        file.truncate(20 << 20)
with open("plain.txt", "w") as file:
    file.write("plain")
print("SIZES", sum(os.path.getsize(n) for n in os.listdir(".")) > 64 << 20)
