"""Compile source files of a root so that every build gives the same bytes.

Runs in a fresh interpreter of the root, on the host. Arguments: the root and a
file that holds a JSON list of paths relative to it. The bytecode is never
checked against its source (nothing inside a sandbox can change either), holds
no time stamp, and names files as they are called inside.
"""

import json
import os
import py_compile
import sys


def main(root: str, listing: str) -> None:
    with open(listing, encoding="utf-8") as f:
        files = json.load(f)
    for name in files:
        py_compile.compile(
            os.path.join(root, name),
            dfile="/" + name,
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
