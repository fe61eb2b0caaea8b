# Write without end to somebody who is not there any more.
import os

print("WRITING", flush=True)
while True:
    os.write(1, b"x" * 1000 + b"\n")
