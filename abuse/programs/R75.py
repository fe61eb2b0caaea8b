# Die as native code dies: by variants.
import ctypes
import os
import sys

print("DYING", flush=True)
if WORLD["run"] == 0:
    ctypes.string_at(0)
elif WORLD["run"] == 1:
    os.abort()
else:
    sys.setrecursionlimit(1 << 30)
    kernel = ctypes.CDLL(None)
    code = (ctypes.c_char * 4)()
    callback = ctypes.CFUNCTYPE(None)
    depth = lambda: callback(depth)()  # C frames, not Python's
    callback(depth)()
escaped("survived")
