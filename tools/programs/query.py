"""query_data: one SELECT over every row of the tables."""


def query_data(asked):
    import duckdb

    statements = duckdb.extract_statements(asked["sql"])
    if len(statements) != 1:
        raise ValueError(f"write exactly one statement, not {len(statements)}")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise PermissionError(f"only SELECT is allowed, this is {statements[0].type.name}")
    connection = duckdb.connect(":memory:", config={"enable_external_access": "false", "threads": "1"})
    for name, table in dfs.items():
        connection.register(name, table)
    if "df" not in dfs:
        connection.register("df", df)
    connection.execute("SET lock_configuration = true")
    answer = connection.sql(asked["sql"])
    shown = answer.limit(asked["max_rows"] + 1).df()
    if len(shown) > asked["max_rows"]:
        total = answer.aggregate("count(*)").fetchall()[0][0]
        shown = shown.head(asked["max_rows"])
        print(f"{total} rows in all, the first {len(shown)} are shown")
    return shown
