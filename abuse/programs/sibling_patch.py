# Patch one's own things and catch one's own output.
import contextlib
import gc
import io
import sys
from unittest import mock

with contextlib.redirect_stdout(io.StringIO()) as caught:
    print("caught")
with mock.patch("time.sleep"):
    import time
    time.sleep(1000)
old = sys.getrecursionlimit()
sys.setrecursionlimit(old + 100)
gc.collect()
print("ADMITTED", caught.getvalue().strip(), sys.getrecursionlimit() - old)
