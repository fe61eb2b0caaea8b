# More artifacts than anybody asked for: in number, in size, in sum.
for i in range(200):
    with open(f"small{i:03d}.txt", "w") as file:
        file.write("x" * 1000)
with open("huge.bin", "wb") as file:
    file.write(b"x" * (4 << 20))
for i in range(8):
    with open(f"large{i}.bin", "wb") as file:
        file.write(b"x" * (700 << 10))
print("MADE", 209)
