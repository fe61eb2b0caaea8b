"""What a process and its libraries are set to, as a session carries it to another sandbox."""

from __future__ import annotations

import decimal
import locale
import os
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from pandas._config import config

from . import seeds


def process() -> dict[str, Any]:
    """The settings that are plain values."""
    try:
        place = os.getcwd()
    except OSError:
        place = ""  # deleted
    return {
        "place": place,
        "environ": dict(os.environ),
        "path": [entry for entry in sys.path if type(entry) is str],
        "depth": sys.getrecursionlimit(),
        "locale": locale.setlocale(locale.LC_ALL),
        "random": random.getstate(),
        "numpy": np.random.get_state(),
        "seeded": seeds.seeded(),
    }


def settle(said: dict[str, Any], warn: Callable[[str], None]) -> None:
    """Makes them those of this process; warn hears the names of what cannot be."""
    steps: dict[str, Callable[[], Any]] = {
        "environment": lambda: _environment(said["environ"]),
        "sys.path": lambda: sys.path.__setitem__(slice(None), said["path"]),
        "recursion limit": lambda: sys.setrecursionlimit(said["depth"]),
        "locale": lambda: locale.setlocale(locale.LC_ALL, said["locale"]),
        "random": lambda: random.setstate(said["random"]),
        "numpy.random": lambda: np.random.set_state(said["numpy"]),
        "seeds": lambda: seeds.believe(said["seeded"]),
        "working directory": lambda: os.chdir(said["place"] or "."),
    }
    for name, step in steps.items():
        try:
            step()
        except Exception:
            warn(name)


def _environment(variables: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)


def changed() -> dict[str, Any]:
    """Settings that may be anything, by name, where they differ from the default."""
    found: dict[str, Any] = {"warnings": list(warnings.filters), "decimal": decimal.getcontext()}
    found["matplotlib"] = {k: v for k, v in dict.items(matplotlib.rcParams) if k != "backend"}
    found["numpy print"], found["numpy errors"] = np.get_printoptions(), np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is deprecated, nothing is used here
        for key, option in config._registered_options.items():
            value = pd.get_option(key)
            if value is not option.defval and value != option.defval:
                found[f"pandas {key}"] = value
    return found


def change(name: str, value: Any) -> None:
    """Sets one of them. Raises what that raises."""
    library, _, key = name.partition(" ")
    if library == "pandas":
        pd.set_option(key, value)
    elif name == "warnings":
        warnings.filters[:] = value  # type: ignore[index]
        warnings._filters_mutated()  # type: ignore[attr-defined]
    elif name == "decimal":
        decimal.setcontext(value)
    elif name == "matplotlib":
        dict.update(matplotlib.rcParams, value)
    elif name == "numpy print":
        np.set_printoptions(**value)
    elif name == "numpy errors":
        np.seterr(**value)
