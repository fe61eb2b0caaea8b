"""Random generators, renewed in every child: a fork inherits its parent's state.

The standard library's own generator reseeds itself after a fork. numpy's global
one does not, and seeding it the public way costs a child 0.5 ms and 100 page
faults; so its key is overwritten in place, where numpy says it lies.
"""

import ctypes
import functools
import os
import random
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any

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
    renew_names()


_unseeded: weakref.WeakSet[random.Random] = weakref.WeakSet()
_numpy_seeded = False
_DRAWN = 1 << 64  # numpy draws 128 bits where no seed is given


def watch() -> None:
    """Has a session know which generators its cells seeded."""
    _unseeded.add(random._inst)
    plain, numpys = random.Random.seed, np.random.seed

    @functools.wraps(plain)
    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        plain(self, a, version)
        (_unseeded.add if a is None else _unseeded.discard)(self)

    @functools.wraps(numpys)
    def numpy_seed(seed: Any = None) -> None:
        global _numpy_seeded
        numpys(seed)
        _numpy_seeded = seed is not None

    random.Random.seed = seed  # type: ignore[method-assign]
    random.seed = random._inst.seed
    np.random.seed = numpy_seed


def branch(values: Iterable[Any], mentioned: Callable[[str], bool]) -> None:
    """Give every generator that no cell seeded a state of its own.

    Those of numpy are found among values. mentioned says whether a cell has
    words in its source: a seed of 128 bits may be drawn, or be meant.
    """
    for generator in list(_unseeded):
        generator.seed()
    if not _numpy_seeded:
        np.random.seed()
    for value in values:
        if type(value) is np.random.Generator:
            bits: Any = value.bit_generator
            entropy = getattr(bits.seed_seq, "entropy", None)
            if type(entropy) is int and entropy >= _DRAWN and not mentioned(str(entropy)):
                bits.state = type(bits)().state


def seeded() -> tuple[bool, bool]:
    """Whether cells seeded the generators of random and of numpy."""
    return random._inst not in _unseeded, _numpy_seeded


def believe(seeded: tuple[bool, bool]) -> None:
    """Takes another session's word for that."""
    global _numpy_seeded
    (_unseeded.discard if seeded[0] else _unseeded.add)(random._inst)
    _numpy_seeded = seeded[1]


def renew_names() -> None:
    """Give this process temporary names and time-based numbers of its own."""
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None  # type: ignore[attr-defined]
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._last_timestamp = None  # type: ignore[attr-defined]
