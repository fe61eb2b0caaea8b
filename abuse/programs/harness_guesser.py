# A server that takes the type of a file from its name.
import mimetypes
import os
import subprocess
import sys

subprocess.run([sys.executable, sys.argv[1]])
for name in sorted(os.listdir(".")):
    kind = mimetypes.guess_type(name)[0] or ""
    with open(name, "rb") as file:
        content = file.read()
    if b"<script" in content and kind in ("image/png", "text/csv", "text/plain"):
        escaped(name, f"a page with a script would be served as {kind}")
