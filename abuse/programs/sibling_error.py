# An error with a cause, caught; a value with a table.
try:
    try:
        {}["missing"]
    except KeyError as error:
        raise ValueError("no such column: \u5229\u6da6") from error
except ValueError as error:
    print("ADMITTED", error, repr(error.__cause__))
{"a": [1, 2], "b": None}
