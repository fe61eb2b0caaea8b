# A root with a set-user-id program in it, on a file system that honours it. The
# attack comes once as root, who may make such files, and once as a user.
import os
import shutil
import subprocess
import sys

shutil.copy(os.path.realpath(sys.executable), "/usr/bin/sudo")
os.chmod("/usr/bin/sudo", 0o6755)
for path in (os.path.realpath(sys.executable), os.__file__):
    while path != "/":
        path = os.path.dirname(path)
        os.chmod(path, os.stat(path).st_mode | 0o055)
os.chmod("/workspace/output", 0o777)
subprocess.run([sys.executable, sys.argv[1]])
if os.path.exists("/tmp/own-python"):
    os.unlink("/tmp/own-python")
subprocess.run([sys.executable, sys.argv[1]], user=1000, group=1000, extra_groups=[])
