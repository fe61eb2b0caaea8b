# Work in C that never looks at a signal or gives the interpreter back.
import time

begin = time.monotonic()
sum(range(2_000_000))
a_second = 2_000_000 / (time.monotonic() - begin)
sum(range(int(a_second * (WORLD["timeout_ms"] / 1000 + 1))))
escaped("deadline", "the sum was finished")
