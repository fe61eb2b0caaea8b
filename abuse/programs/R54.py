# Take more memory than there is, and touch it.
blocks = []
total = 0
while total < 2 * WORLD["memory_bytes"]:
    block = bytearray(8 << 20)
    for at in range(0, len(block), 4096):
        block[at] = 1
    blocks.append(block)
    total += len(block)
escaped("memory", f"{total >> 20} MiB of {WORLD['memory_bytes'] >> 20}")
