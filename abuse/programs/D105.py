# Stale locks and a setting's folder that nobody can write, for a chart that is drawn later.
import glob
import os
import subprocess
import sys
import time

begun = time.monotonic()
folder = os.environ.get("MPLCONFIGDIR") or os.path.expanduser("~/.config/matplotlib")
for lock in ("fontlist-v330.json", "fontlist-v390.json", *map(os.path.basename, glob.glob(folder + "/fontlist*"))):
    try:
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{lock}.matplotlib-lock", "x"):
            pass
    except OSError:
        pass
run = subprocess.run([sys.executable, "-W", "default", "-c", "import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig('child.png')"],
                     capture_output=True)
said = run.stderr.decode(errors="replace")
print("CHILD", run.returncode, said[-300:], flush=True)
attempt("wait", lambda: "lock" in said)
attempt("warning", lambda: "MPLCONFIGDIR" in said or "not a writable" in said)
if "matplotlib" in sys.modules:
    import matplotlib.pyplot as plt
    begun = time.monotonic()
    plt.plot([1, 2], [3, 4])
    plt.savefig("chart.png")
    attempt("wait_here", lambda: time.monotonic() - begun > seconds(2))
