# A controller that tells that something failed, and not what.
import subprocess
import sys

run = subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
answer = {"exit": run.returncode, "stdout": run.stdout.decode(errors="replace")}
if run.returncode != 0 and "prophet_nowhere" not in str(answer):
    escaped("nameless", f"all that is told is {answer}")
