# A controller that opens what it collected, to look what it is.
import os
import pickle
import subprocess
import sys
import zipfile

subprocess.run([sys.executable, sys.argv[1]])
for name in os.listdir("."):
    if name.startswith("model"):
        with open(name, "rb") as file:
            pickle.load(file)
    elif zipfile.is_zipfile(name):
        with zipfile.ZipFile(name) as archive:
            inside = sum(len(archive.read(n)) for n in archive.namelist())
        if inside > 50 * os.path.getsize(name):
            escaped("bomb", f"{name} of {os.path.getsize(name)} bytes became {inside}")
