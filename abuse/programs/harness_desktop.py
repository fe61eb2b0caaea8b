# An environment like a desk: a browser, and a toolkit that waits for its display.
import os
import subprocess
import sys

os.makedirs("/tmp/tools")
with open("/tmp/tools/tkinter.py", "w") as module:
    module.write("import time\ntime.sleep(600)\n")
with open("/tmp/tools/browser", "w") as tool:
    tool.write(f"#!{sys.executable}\n")
os.chmod("/tmp/tools/browser", 0o755)
subprocess.run([sys.executable, sys.argv[1]],
               env={**os.environ, "PYTHONPATH": "/tmp/tools", "BROWSER": "/tmp/tools/browser"})
