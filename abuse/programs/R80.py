# At every limit at once: processor, processes, memory, files and output.
import threading
import time

print("CROWDING", flush=True)
end = time.monotonic() + WORLD["timeout_ms"] / 1000 + 1
blocks = []
for _ in range(WORLD["memory_bytes"] // 2 >> 20):
    blocks.append(b"x" * (1 << 20))
try:
    with open("/tmp/block", "wb") as file:
        file.write(b"x" * (1 << 20))
    for _ in range(WORLD["processes"]):
        threading.Thread(target=lambda: time.sleep(3600), daemon=True).start()
except (OSError, RuntimeError):
    pass
for _ in range(500):
    print("x" * 1000, flush=True)
while time.monotonic() < end:
    sum(range(100_000))
escaped("deadline", "still here")
