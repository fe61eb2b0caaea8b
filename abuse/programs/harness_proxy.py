# A host's own environment and settings, handed through.
import os
import subprocess
import sys

proxy = f"http://user:password@127.0.0.1:{WORLD['tcp']}"
with open(os.path.expanduser("~/.curlrc"), "w") as file:
    file.write(f"proxy = {proxy}\n")
subprocess.run([sys.executable, sys.argv[1]], env={**os.environ, "HTTPS_PROXY": proxy, "http_proxy": proxy})
