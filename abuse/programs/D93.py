# Draw from every generator: two copies of one process must not draw the same.
import os
import random
import secrets
import sys
import tempfile
import uuid

print("RANDOM random", random.random())
print("RANDOM bytes", random.randbytes(8).hex())
print("RANDOM secrets", secrets.token_hex(8))
print("RANDOM uuid1", uuid.uuid1())
print("RANDOM uuid4", uuid.uuid4())
print("RANDOM urandom", os.urandom(8).hex())
print("RANDOM tempfile", tempfile.mktemp())
if "numpy" in sys.modules:
    import numpy
    print("RANDOM numpy", numpy.random.rand())
    print("RANDOM numpy_ints", numpy.random.randint(0, 1 << 60))
    print("RANDOM numpy_rng", numpy.random.default_rng().integers(1 << 60))
if "pandas" in sys.modules:
    import pandas
    print("RANDOM pandas", pandas.Series(range(10_000)).sample(3).tolist())
