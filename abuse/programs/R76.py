# Only a helper takes too much memory; its parent is to end as if nothing was.
import os

helper = os.fork()
if helper == 0:
    blocks = []
    for _ in range(2 * WORLD["memory_bytes"] >> 20):
        blocks.append(b"x" * (1 << 20))
    os._exit(42)
code = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
if code == 42:
    escaped("helper", f"it had {2 * WORLD['memory_bytes'] >> 20} MiB")
print("HELPER", code, flush=True)
with open("half.txt", "w") as file:
    file.write("the helper's half is missing\n")
if WORLD["run"] == 1:
    raise ValueError("the helper gave no rows")
