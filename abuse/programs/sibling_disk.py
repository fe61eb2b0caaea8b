# Use what there is: files within the limits, in every writable place.
import os

for i in range(50):
    with open(f"/tmp/part{i}", "wb") as file:
        file.write(b"x" * 65536)
with open("data.txt", "wb") as file:
    file.write(b"x" * (4 << 20))
with open("/dev/shm/block", "wb") as file:
    file.write(b"x" * (4 << 20))
print("ADMITTED", len(os.listdir("/tmp")) >= 50)
