# An environment with an installer, a compiler and a shell in it.
import os
import subprocess
import sys

for name in ("pip", "ensurepip"):
    os.makedirs(f"/tmp/tools/{name}")
    for file, text in {"__init__.py": "", "__main__.py": f"print('{name} 1.0')\n"}.items():
        with open(f"/tmp/tools/{name}/{file}", "w") as module:
            module.write(text)
for name in ("pip3", "cc", "sh"):
    with open(f"/tmp/tools/{name}", "w") as tool:
        tool.write("#!/usr/bin/python3\n")
    os.chmod(f"/tmp/tools/{name}", 0o755)
subprocess.run([sys.executable, sys.argv[1]],
               env={**os.environ, "PYTHONPATH": "/tmp/tools", "PATH": "/tmp/tools:" + os.environ["PATH"]})
