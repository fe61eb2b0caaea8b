# A controller that believes what the program prints about itself.
import json
import subprocess
import sys

run = subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.PIPE)
sys.stdout.write(run.stdout.decode(errors="replace"))
for line in run.stdout.decode(errors="replace").splitlines():
    try:
        verdict = json.loads(line)
    except ValueError:
        continue
    if isinstance(verdict, dict) and verdict.get("status") == "ok" and run.returncode != 0:
        escaped("verdict", f"ok was believed of a program that ended with {run.returncode}")
