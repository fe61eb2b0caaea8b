# A sandbox with one /dev for all its runs: a directory that can be written.
import os
import shutil
import stat
import subprocess
import sys

if not os.path.exists("/run/dev-stands"):
    _libc.umount2(b"/dev", 2)
    if os.stat("/dev").st_dev != os.stat("/").st_dev:
        raise SystemExit("/dev is not the root's own directory")
    shutil.rmtree("/dev", ignore_errors=True)
    os.makedirs("/dev/shm", exist_ok=True)
    for name, minor in (("null", 3), ("zero", 5), ("random", 8), ("urandom", 9)):
        if not os.path.exists(f"/dev/{name}"):
            os.mknod(f"/dev/{name}", 0o666 | stat.S_IFCHR, os.makedev(1, minor))
    os.symlink("/proc/self/fd/1", "/dev/stdout")
    open("/run/dev-stands", "w").close()
subprocess.run([sys.executable, sys.argv[1]])
