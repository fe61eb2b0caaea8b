# What tools leave behind without being asked.
import os
import struct

os.makedirs("__pycache__")
os.makedirs(".ipynb_checkpoints")
os.makedirs("core.1")
os.makedirs("lib/core")
CORE = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", 4, 62, 1) + bytes(4096)
for name, content in {
    "core": CORE, "core.4711": CORE, "hs_err_pid4711.log": b"# A fatal error has been detected\n",
    "module.pyc": b"\xcb\r\r\n" + bytes(100), "__pycache__/module.cpython-313.pyc": b"\xcb\r\r\n" + bytes(100),
    ".ipynb_checkpoints/notes-checkpoint.txt": b"text", "result.txt": b"kept", "core.1/table.csv": b"a,b\n1,2\n", "lib/core/table.csv": b"a,b\n1,2\n",
    "core.txt": b"kept",
}.items():
    with open(name, "wb") as file:
        file.write(content)
print("LEFT", flush=True)
