"""The one error of this package, and the bounds that lead to it."""

# What one file may grow to when it is unpacked (gzip, workbook), in bytes. It
# is below the default memory limit, so that a bomb ends in a sentence and not
# in a kill.
MAX_EXPANDED = 256 << 20
# What a text in another encoding may grow to in a file of the sandbox, which a
# program of ours has more memory for.
MAX_SPOOLED = 640 << 20
# A first line longer than this is no header of a table.
MAX_LINE = 1 << 20
# A table wider than this is no table that anybody analyses; the parsers below
# need memory for each column.
MAX_COLUMNS = 16_384


class Unreadable(Exception):
    """A file that cannot be parsed: the text says what, and what to do."""
