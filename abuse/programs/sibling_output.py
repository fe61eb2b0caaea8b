# Much text, in several scripts, on both streams.
import sys

for i in range(2000):
    print("row", i, "\u9500\u552e\u989d")
print("to the side", file=sys.stderr)
print("progress 1\rprogress 2")
print("ADMITTED \u00fc")
