# Change the input that other runs will read.
import os

path = "/workspace/input/numbers.csv"


def overwrite():
    with open(path, "r+b") as file:
        file.write(b"X")
    return path


attempt("overwrite", overwrite)
attempt("truncate", lambda: os.truncate(path, 0) or path)
attempt("chmod", lambda: os.chmod(path, 0o666) or path)
attempt("reopen", lambda: os.open(f"/proc/self/fd/{os.open(path, os.O_RDONLY)}", os.O_RDWR))
attempt("create", lambda: os.open("/workspace/input/new.csv", os.O_CREAT | os.O_WRONLY))
attempt("replace", lambda: os.rename(path, path + ".old") or path)
