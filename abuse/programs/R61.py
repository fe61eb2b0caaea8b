# Work in C that never looks at a signal or gives the interpreter back.
import time

print("WORKING", flush=True)
end = time.monotonic() + WORLD["timeout_ms"] / 1000 + 1
while time.monotonic() < end:
    sum(range(30_000_000))  # a good part of a second each
escaped("deadline", "the sums were finished")
