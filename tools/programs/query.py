"""query_data: one SELECT over every row of the tables."""


MOST_ROWS, MOST_BYTES = 100_000, 6 << 20  # of what goes to a program


def query_data(asked):
    return answered(asked["sql"], lambda answer: shown_rows(asked, answer))


def shown_rows(asked, answer):
    shown = answer.limit(asked["max_rows"] + 1).df()
    if len(shown) > asked["max_rows"]:
        total = answer.aggregate("count(*)").fetchall()[0][0]
        shown = shown.head(asked["max_rows"])
        print(f"{total} rows in all, the first {len(shown)} are shown")
    return shown


def query_rows(asked):
    """The same for a program that asks: all rows or none, as columns that it makes a table of."""
    import json

    rows = answered(asked["sql"], lambda answer: answer.limit(MOST_ROWS + 1).df())
    if len(rows) > MOST_ROWS:
        raise ValueError(f"the answer has more than {MOST_ROWS:,} rows: group, filter or LIMIT it")
    columns = [
        {"name": name, "dtype": str(rows.dtypes.iloc[at]), "values": [cell(value) for value in rows.iloc[:, at]]}
        for at, name in enumerate(rows.columns)
    ]
    text = json.dumps({"columns": columns}, allow_nan=False, separators=(",", ":"))
    if len(text) > MOST_BYTES:
        raise ValueError(f"the answer has {len(text):,} bytes, more than {MOST_BYTES:,}: ask for fewer columns or rows")
    display({"text/x-cellwall-table": text}, raw=True)


def cell(value):
    """A value as JSON: what is missing is null, what JSON has no word for is text."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [cell(one) for one in value]
    if isinstance(value, dict):
        return {str(key): cell(one) for key, one in value.items()}
    if value is None or value is pd.NaT or value is pd.NA or value != value:
        return None
    if hasattr(value, "isoformat") and not isinstance(value, pd.Timedelta):
        return value.isoformat()
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return None
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def answered(sql, take):
    """What take makes of the answer. A large file that DuckDB cannot read by itself is read for it."""
    import duckdb

    check(sql)
    try:
        connection, read = connected(False)
        try:
            return take(connection.sql(sql))
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as failure:
            if not read or "CSV Error" not in str(failure):
                raise
        return take(connected(True)[0].sql(sql))
    except duckdb.OutOfMemoryException:
        raise MemoryError(
            "the query needs more memory than there is: "
            "name the columns instead of *, filter or group before you sort or join"
        ) from None


def check(sql):
    import duckdb

    statements = duckdb.extract_statements(sql)
    if len(statements) != 1:
        raise ValueError(f"write exactly one statement, not {len(statements)}")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise PermissionError(f"only SELECT is allowed, this is {statements[0].type.name}")


def connected(whole):
    """A connection to all tables, and whether it reads files for them."""
    import duckdb

    if "sources" in globals():
        connection = duckdb.connect(":memory:", config={"threads": "1"})
        read = sources.attach(connection, whole)
    else:
        connection, read = duckdb.connect(":memory:", config={"enable_external_access": "false", "threads": "1"}), False
        for name, table in dfs.items():
            connection.register(name, table)
        if "df" not in dfs:
            connection.register("df", df)
    connection.execute("SET lock_configuration = true")
    return connection, read
