# Readers who look at source before it runs, each in a way that Python does not share.
import ctypes
import subprocess
import sys

with open(sys.argv[1], "rb") as file:
    source = file.read()
seen = ctypes.create_string_buffer(source).value
if len(seen) < len(source):
    escaped("nul", f"a reader of C strings sees {len(seen)} of {len(source)} bytes")
text = seen.decode("utf-8", "surrogatepass")
code = [line for line in text.split("\n") if line and not line.startswith("#")]
if code == ["print('MEANT begin')"]:
    subprocess.run([sys.executable, "-c", text])
try:
    source.decode("utf-8", "surrogatepass").encode("utf-8")
except UnicodeEncodeError:
    escaped("surrogate", "a reader that passes surrogates on dies when it writes them")
