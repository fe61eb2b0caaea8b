# Variables that the loader, the interpreter and the C library obey, for whoever starts next.
import os
import shutil
import subprocess
import sys

HOME = "/tmp/inject"
for name, value in os.environ.items():
    if HOME in value:
        escaped("environment", f"{name} of an earlier run is still set")
        break
else:
    held("environment", "fresh")
os.makedirs(HOME, exist_ok=True)
with open(HOME + "/sitecustomize.py", "w") as file:
    file.write(f"print('INJECTED', flush=True)\ntry:\n    print(open({WORLD['canary_file']!r}).read(), flush=True)\n"
               "except OSError as error:\n    print('refused', error, flush=True)\n")
with open("/proc/self/maps") as file:
    library = next(line.split()[-1] for line in file if "libc.so" in line or "ld-musl" in line)
shutil.copyfile(library, HOME + "/libinject.so")
os.environ.update(
    LD_PRELOAD=HOME + "/libinject.so", LD_LIBRARY_PATH=HOME, LD_AUDIT=HOME + "/libinject.so", PYTHONPATH=HOME,
    PYTHONSTARTUP=HOME + "/sitecustomize.py", PYTHONINSPECT="", GCONV_PATH=HOME, OPENSSL_CONF=HOME + "/openssl.cnf",
    BASH_ENV=HOME + "/env", MALLOC_CONF=HOME,
)
os.environ.pop("LD_AUDIT")  # glibc refuses to audit itself, and every child with it


def injected():
    run = subprocess.run([sys.executable, "-c", "open('/proc/self/maps').read().count('libinject.so') or 1/0"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = run.stdout.decode(errors="replace")
    print("CHILD", "INJECTED" in said, run.returncode, flush=True)
    return said if "token=" in said else None


attempt("secret", injected)
if WORLD["run"]:
    os.execve(sys.executable, [sys.executable, "-c", "print('REPLACED')"], os.environ)
