# An environment whose library of charts finds its folder read-only and a lock that nobody holds,
# and says so on standard error, as matplotlib does.
import os
import subprocess
import sys

os.makedirs("/tmp/tools/matplotlib")
with open("/tmp/tools/matplotlib/__init__.py", "w") as module:
    module.write("import glob, os, sys, time\n"
                 "folder = os.environ['MPLCONFIGDIR']\n"
                 "if glob.glob(folder + '/*.matplotlib-lock'):\n"
                 "    time.sleep(3)\n"
                 "    print('lock error: another process holds', folder, file=sys.stderr)\n"
                 "print('a temporary folder was made: MPLCONFIGDIR is not a writable directory', file=sys.stderr)\n")
open("/tmp/tools/matplotlib/pyplot.py", "w").close()
os.makedirs("/tmp/config")
subprocess.run([sys.executable, sys.argv[1]],
               env={**os.environ, "PYTHONPATH": "/tmp/tools", "MPLCONFIGDIR": "/tmp/config"})
