"""Warnings that only the inside can see; a wrong one is a bug: M11."""

import pytest

GAPS = {"s.csv": b"region,revenue,cost,order_id\nNorth,1,2,7\nSouth,,3,8\nEast,4,5,9\n"}
TOTAL = {"t.csv": "区域,销售额\n华东,10.5\n华北,20\n华南,4\n合计,34.5\n".encode()}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("df['revenue'].mean()", True),
        ("df.groupby('region')['revenue'].sum()", True),
        ("print(df.revenue.max())", True),
        ("df['cost'].mean()", False),
        ("df['revenue'].dropna().mean()", False),
        ("df['revenue'].fillna(0).mean()", False),
        ("df['revenue'].head()", False),
        ("df = pd.DataFrame({'revenue': [1]})\ndf['revenue'].sum()", False),
    ],
)
def test_missing_values_ignored(run, source, said):
    assert (run(source, data=GAPS).notices().get("missing_values") == {"columns": "revenue"}) is said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("df['销售额'].sum()", True),
        ("print(df.groupby('区域')['销售额'].mean())", True),
        ("df[df['区域'] != '合计']['销售额'].sum()", False),
        ("df.iloc[:-1]['销售额'].sum()", False),
        ("df.drop(3)['销售额'].sum()", False),
        ("df.shape", False),
    ],
)
def test_a_total_row_counted_with_its_parts(run, source, said):
    found = run(source, data=TOTAL).notices().get("total_row")
    assert found == ({"table": "df", "row": "合计", "column": "销售额"} if said else None)


def test_a_row_that_is_called_total_but_is_none(run):
    data = {"t.csv": b"brand,price\nTotal,3\nShell,4\nBP,5\n"}
    assert "total_row" not in run("df['price'].mean()", data=data).notices()


def test_a_join_that_multiplied(run):
    two = "a = pd.DataFrame({'k': [1, 1, 2], 'x': [1, 2, 3]})\nb = pd.DataFrame({'k': [1, 1, 3], 'y': [4, 5, 6]})\n"
    assert run(two + "len(a.merge(b, on='k'))").notices()["join_multiplied"] == {"left": "3", "right": "3", "rows": "4"}
    assert "join_multiplied" in run(two + "len(pd.merge(a, b, on='k', how='left'))").notices()
    assert "join_multiplied" in run(two + "len(a.set_index('k').join(b.set_index('k')))").notices()
    for fine in ("a.merge(b, how='cross')", "a.merge(b.drop_duplicates('k'), on='k', how='left')", "pd.concat([a, b])"):
        assert "join_multiplied" not in run(two + f"len({fine})").notices(), fine
    apart = "a = pd.DataFrame({'k': [1, 2]})\nb = pd.DataFrame({'k': [3, 4]})\nlen(a.merge(b, how='outer'))"
    assert "join_multiplied" not in run(apart).notices()


def test_the_hook_does_not_show(run):
    out = run(
        "import inspect\nprint(list(inspect.signature(pd.merge).parameters)[:3])\npd.merge(df, df, on='nope')",
        data=GAPS,
    )
    assert out.stdout == "['left', 'right', 'how']\n" and "_cellwall" not in out.error["traceback"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("df['order_id'].sum()", True),
        ("df[['cost', 'order_id']].mean()", True),
        ("df.groupby('region')['order_id'].sum()", True),
        ("df.groupby('region').agg({'order_id': 'sum'})", True),
        ("df['order_id'].nunique()", False),
        ("df.groupby('region')['order_id'].count().sum()", False),
        ("df['cost'].sum()", False),
    ],
)
def test_sums_of_identifiers(run, source, said):
    assert ("sum_of_identifiers" in run(source, data=GAPS).notices()) is said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("float('nan')", {"name": "float('nan')", "value": "nan"}),
        ("np.float64(1) / np.float64(0)", {"name": "np.float64(1) / np.float64(0)", "value": "inf"}),
        ("m = df[df.cost > 99].cost.mean()\nprint(m)", {"name": "m", "value": "nan"}),
        ("r = float('inf')\nprint(f'ratio {r:.2f}')", {"name": "r", "value": "inf"}),
        ("pd.DataFrame({'a': [1, np.inf]})", {"name": "pd.DataFrame({'a': [1, np.inf]})", "value": "inf"}),
        ("df", None),
        ("print(1.5)", None),
        ("x = float('nan')\nprint('done')", None),
    ],
)
def test_answers_that_are_no_numbers(run, source, said):
    assert run(source, data=GAPS).notices().get("not_finite") == said


def test_results_without_rows(run):
    assert "empty_result" in run("df[df['cost'] > 99]", data=GAPS).notices()
    assert "empty_result" not in run("df[df['cost'] > 2]", data=GAPS).notices()
    assert "empty_result" not in run("[]", data=GAPS).notices()
