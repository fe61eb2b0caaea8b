# Use a good part of the memory, then give it back.
block = bytearray(48 << 20)
for at in range(0, len(block), 4096):
    block[at] = 1
del block
with open("/dev/shm/block", "wb") as file:
    file.write(b"x" * (16 << 20))
print("ADMITTED")
