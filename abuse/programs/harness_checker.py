# A service that parses what it is sent in its own process, in a small thread.
import subprocess
import sys

CHECK = """
import ast, resource, sys, threading
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
with open(sys.argv[1]) as file:
    text = file.read()
threading.stack_size(256 << 10)
said = []
def check():
    try:
        compile(text, "<cell>", "exec")
    except MemoryError as error:
        if "Parser stack" not in str(error):
            said.append("memory")
    except (SyntaxError, RecursionError):
        pass
thread = threading.Thread(target=check)
thread.start()
thread.join()
print(*said)
"""
run = subprocess.run([sys.executable, "-c", CHECK, sys.argv[1]], stdout=subprocess.PIPE)
if run.returncode < 0:
    escaped("checker", f"it died of signal {-run.returncode}")
if b"memory" in run.stdout:
    escaped("size", "600 MiB were not enough to parse one source")
