"""Import what an environment's programs import and tell which files that took.

Runs in a root's own interpreter, on the host. The argument names a JSON file
with the keys root, scratch (a directory to write to), warm_up and bytecode
(names of modules), on_demand (a directory that joins sys.path between the two)
and listing (the file to write: a sorted JSON list of paths below the root).
"""

import importlib
import json
import os
import sys


def main(path: str) -> None:
    with open(path, encoding="utf-8") as f:
        spec = json.load(f)
    os.environ["MPLCONFIGDIR"] = os.environ["IPYTHONDIR"] = spec["scratch"]
    for name in spec["warm_up"]:
        importlib.import_module(name)
    sys.path.append(spec["on_demand"])
    for name in spec["bytecode"]:
        importlib.import_module(name)
    prefix = os.path.join(spec["root"], "")
    files = set()
    for module in list(sys.modules.values()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        if origin and origin.startswith(prefix) and origin.endswith(".py"):
            files.add(origin[len(prefix) :])
    with open(spec["listing"], "w", encoding="utf-8") as f:
        json.dump(sorted(files), f)


if __name__ == "__main__":
    main(sys.argv[1])
