# Use up the file system's inodes, and make the listing endless.
import os


def flood(folder, most=2000):
    made = 0
    for made in range(most):
        os.close(os.open(f"{folder}/{made:07d}", os.O_CREAT | os.O_WRONLY))
    return f"{made + 1} files"


attempt("output", flood, ".")
attempt("tmp", flood, "/tmp")
