# Patch this very process through /proc/self/mem, then end badly: whatever the
# memory says, the end must be told as it was.
import ctypes
import os

victim = bytes(bytearray(b"cellwall-before!"))
address = id(victim) + bytes.__basicsize__ - 1
try:
    memory = os.open("/proc/self/mem", os.O_RDWR)
    os.pwrite(memory, b"cellwall-after!!", address)
    os.close(memory)
except OSError:
    ctypes.memmove(address, b"cellwall-after!!", 16)
print("PATCHED", victim == b"cellwall-after!!", flush=True)
print('{"ok": true, "status": "ok"}', flush=True)
ctypes.CDLL(None)._exit(9)
