"""A dataset that is parsed once: as columns in a file, and as frames again.

write() runs where the files were parsed, inside a wall; read() in a clean
zygote that never saw them. What lies between is hostile: numbers in plain
buffers, text as UTF-8 with offsets, and a header in JSON, all of it bounded and
checked before anything is built from it. No byte of the file is used twice, so
what is built grows with the file and with nothing that its header claims.
Nothing is ever unpickled.

A frame that is read is the one that was written: dtypes with their zones,
categories and ways to miss a value, labels, values of mixed columns with their
types, and whether columns of one type lie in one block. What a column may hold
is listed in writer.py and cells.py; anything else is Unfit.
"""

from .layout import Unfit
from .reader import read
from .writer import write

__all__ = ["Unfit", "read", "write"]
