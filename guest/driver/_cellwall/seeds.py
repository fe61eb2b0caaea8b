"""Random generators, renewed in every child: a fork inherits its parent's state.

The standard library's own generator reseeds itself after a fork. numpy's global
one does not, and seeding it the public way costs a child 0.5 ms and 100 page
faults; so its key is overwritten in place, where numpy says it lies.
"""

import ctypes
import os
import sys

import numpy as np

_KEY = 624 * 4  # bytes of a Mersenne twister's key, followed by its position

_generator = np.random.mtrand._rand._bit_generator
_address: int | None = None


def prepare() -> None:
    """Put numpy's generator at the beginning of a key, in the zygote, and make sure where the key lies."""
    global _address
    np.random.seed(0)
    place = int(_generator.ctypes.state_address)
    if ctypes.string_at(place, _KEY) == np.random.get_state(legacy=True)[1].tobytes():
        _address = place


def renew() -> None:
    """Give this process random numbers of its own."""
    if _address is None:
        np.random.seed(np.frombuffer(os.urandom(32), dtype=np.uint32))
    else:
        ctypes.memmove(_address, os.urandom(_KEY), _KEY)
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None  # type: ignore[attr-defined]
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._last_timestamp = None  # type: ignore[attr-defined]
