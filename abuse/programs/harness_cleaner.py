# A service that removes what a run left, name by name, as an ordinary user.
import os
import shutil
import subprocess
import sys
import time

for path in (os.path.realpath(sys.executable), os.__file__):
    while path != "/":
        path = os.path.dirname(path)
        os.chmod(path, os.stat(path).st_mode | 0o055)
os.chmod("/workspace/output", 0o777)
subprocess.run([sys.executable, sys.argv[1]])
user = os.fork()
if user == 0:
    os.setgid(1000)
    os.setuid(1000)
    os.makedirs("/workspace/output/users", exist_ok=True)
    os.chdir("/workspace/output/users")
    begin = time.monotonic()
    subprocess.run([sys.executable, sys.argv[1]], stdout=subprocess.DEVNULL)
    shutil.rmtree("/workspace/output/users", ignore_errors=True)
    if os.path.exists("/workspace/output/users/closed0"):
        escaped("left", f"{len(os.listdir('/workspace/output/users'))} names could not be removed by the user who made them")
    os._exit(0)
os.waitpid(user, 0)
