# A tree deeper than any path, the working directory gone from below.
import os

home = os.getcwd()
deep = 0
try:
    for deep in range(1000):
        os.mkdir("d")
        os.chdir("d")
    with open("bottom.txt", "w") as file:
        file.write("x")
except OSError as error:
    held("deep", _errno.errorcode[error.errno])
print("DEEP", deep > 100)
os.mkdir("/tmp/gone")
os.chdir("/tmp/gone")
os.rmdir("/tmp/gone")
with open(home + "/plain.txt", "w") as file:
    file.write("plain")
