# A controller that finds the verdict in the last line of JSON on the output.
import json
import subprocess
import sys

run = subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.PIPE)
for line in reversed(run.stdout.decode(errors="replace").splitlines()):
    if line.startswith("{") and line != "{}":
        if json.loads(line)["ok"] and run.returncode != 0:
            escaped("verdict", "the program's own JSON was taken for the result")
        break
