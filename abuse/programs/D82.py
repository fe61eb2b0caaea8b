# Install something.
import importlib.util
import shutil
import subprocess
import sys


def module(name, *args):
    run = subprocess.run([sys.executable, "-m", name, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        raise OSError(_errno.ENOENT, run.stdout.decode(errors="replace").strip()[-100:])
    return run.stdout.decode(errors="replace").strip()


attempt("pip", module, "pip", "--version")
attempt("ensurepip", module, "ensurepip", "--version")
attempt("tools", lambda: [n for n in ("pip", "pip3", "uv", "conda", "apt-get", "easy_install") if shutil.which(n)] or None)
attempt("compiler", lambda: [n for n in ("cc", "gcc", "clang", "tcc", "ld") if shutil.which(n)] or None)
attempt("shell", lambda: [n for n in ("sh", "bash", "dash", "busybox", "perl") if shutil.which(n)] or None)
attempt("importable", lambda: importlib.util.find_spec("pip") is not None)
