# End early, and well.
import sys

print("ADMITTED", flush=True)
sys.exit(0)
