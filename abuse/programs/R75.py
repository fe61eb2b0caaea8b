# Die as native code dies: by variants.
import ctypes
import os
import threading

print("DYING", flush=True)
if WORLD["run"] == 0:
    ctypes.string_at(0)
elif WORLD["run"] == 1:
    os.abort()
else:
    # The parser's C frames do not fit a small stack.
    threading.stack_size(256 << 10)
    parser = threading.Thread(target=eval, args=("-" * 2900 + "1",))
    parser.start()
    parser.join()
escaped("survived")
