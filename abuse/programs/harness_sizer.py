# A controller that collects at once, and trusts the size that it asked for first.
import os
import subprocess
import sys
import time

subprocess.run([sys.executable, sys.argv[1]])
changed = {}
end = time.monotonic() + 3
while len(changed) < 2 and time.monotonic() < end:
    for name, attempted in (("grow.csv", "grew"), ("shrink.csv", "shrank")):
        size = os.path.getsize(name)
        with open(name, "rb") as file:
            got = len(file.read())
        if (got > size and attempted == "grew") or (got < size and attempted == "shrank"):
            changed.setdefault(attempted, f"{name} had {size} bytes and gave {got}")
for attempted, detail in changed.items():
    escaped(attempted, detail)
