# A controller that writes its report beside the program's files, by name.
import os
import subprocess
import sys

subprocess.run([sys.executable, sys.argv[1]])
with open("result.json", "w") as file:
    file.write("{}")
if os.path.exists(WORLD["writable"] + "/owned"):
    escaped("owned", "the controller wrote where the program pointed")
