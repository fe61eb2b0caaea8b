"""The exception as the user's own lines tell it: M10."""

import pytest

SALES = {"sales.csv": b"region,revenue,cost\nNorth,1200.5,800\nSouth,950.0,700\n"}


def test_U25_the_failing_line_is_the_users_with_its_text(run):
    out = run("def ratio(a, b):\n    return a / b\n\nfor a, b in [(4, 2), (1, 0)]:\n    print(ratio(a, b))\n")
    error = out.error
    assert (error["type"], error["line"], out.stdout) == ("ZeroDivisionError", 2, "2.0\n")
    assert "return a / b" in error["traceback"] and "ratio(a, b)" in error["traceback"]
    assert "> 2 |     return a / b" in error["excerpt"]


STEPS = """def clean(t):
    return t.strip()
def step1(t):
    return clean(t)
def step2(t):
    return clean(t)
a = step1('x')
b = step2(7)
"""


def test_M10_the_line_of_the_module_that_led_there_is_told(run):
    error = run(STEPS).error
    assert error["line"] == 2 and error["excerpt"].splitlines()[-1] == "called from line 8: b = step2(7)"
    assert run("x = 1\n1/0").error["excerpt"].splitlines()[-1] == "> 2 | 1/0"
    assert run("f = lambda: 1/0; f()").error["excerpt"] == "> 1 | f = lambda: 1/0; f()"
    long = run(f"def f(a):\n    return 1/0 # {'y' * 3000}\nf('{'x' * 3000}')\n").error["excerpt"]
    assert len(long) <= 1000 and long.splitlines()[-1].startswith("called from line 3: f('xxx") and "> 2 |" in long


def test_U23_a_missing_column_is_named_and_the_tables_are_told(run):
    out = run("total = df['cost'].sum()\nother = df.copy()\nx = df['revenu'].sum()\n", data=SALES)
    assert (out.error["type"], out.error["message"], out.error["line"]) == ("KeyError", "'revenu'", 3)
    assert out.error["name"] == "revenu" and "site-packages" not in out.error["traceback"]
    (tables,) = out.all("T")
    assert tables[0] == {
        "name": "df",
        "columns": ["region", "revenue", "cost"],
        "dtypes": ["str", "float64", "int64"],
        "rows": 2,
    }
    assert [t["name"] for t in tables] == ["df", "other"]


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("df.reveue.mean()", "AttributeError", "reveue"),
        ("df[['region', 'revenu']]", "KeyError", "revenu"),
        ("df.groupby('regio').sum()", "KeyError", "regio"),
        ("df.sort_values('revenu')", "KeyError", "revenu"),
        ("df.drop(columns=['x1'])", "KeyError", "x1"),
        ("df.groupby('region')['revenu'].sum()", "KeyError", "revenu"),
        ("df.agg({'revenu': 'sum'})", "KeyError", "revenu"),
        ("df.merge(df, on='regio')", "KeyError", "regio"),
        ("open('nope.csv')", "FileNotFoundError", "nope.csv"),
        ("import prophet", "ModuleNotFoundError", "prophet"),
        ("from math import tau2", "ImportError", "tau2"),
        ("undefined_name", "NameError", "undefined_name"),
        ("np.float", "AttributeError", "float"),
        ("np.object", "AttributeError", "object"),
        ("df.query('revenu > 1')", "pandas.errors.UndefinedVariableError", "revenu"),
    ],
)
def test_what_is_missing_is_named(run, source, kind, name):
    error = run(source, data=SALES).error
    assert (error["type"], error["name"], error["line"]) == (kind, name, 1)


def test_U14_endless_recursion_is_short(run):
    error = run("def depth(n):\n    return depth(n + 1)\ndepth(0)").error
    assert error["type"] == "RecursionError" and error["line"] == 2
    assert len(error["traceback"]) < 3000 and "repeated" in error["traceback"]


def test_U26_a_syntax_error_runs_nothing(run):
    out = run("print('never')\nvalues = [1, 2\nprint(values)")
    assert out.stdout == "" and out.error["type"] == "SyntaxError" and out.error["line"] in (2, 3)
    assert "never closed" in out.error["message"] or "forgot a comma" in out.error["message"]
    assert run("def f():\npass").error["type"] == "IndentationError"


def test_a_syntax_error_of_evaluated_text_has_the_users_line(run):
    error = run("x = 1\neval('1 +')").error
    assert (error["type"], error["line"]) == ("SyntaxError", 2)


def test_U22_a_nul_is_a_clear_error(run):
    out = run('print("a")\nprint("b\0")\n')
    assert out.stdout == "" and out.error["line"] == 2 and "null" in out.error["message"]


@pytest.mark.parametrize(
    "source",
    [
        "(" * 100_000,
        "lambda:" * 5_000 + "1",
        "-" * 100_000 + "1",
        "x = a" + ".b" * 30_000,
        "if 0: 0\n" + "elif 0:0\n" * 9_900,
        "x = " + "1+" * 45_000 + "1",
    ],
)
def test_D97_nesting_too_deep_is_said_so(run, source):
    out = run(source)
    assert out.ok is False and out.error["type"] == "SyntaxError"
    assert "nested" in out.error["message"] and len(out.error["traceback"]) < 20_000


def test_D97_an_error_of_the_codes_own_recursion_stays_its_own(run):
    assert run("import ast; ast.parse('-' * 100_000 + '1')").error["type"] == "MemoryError"
    assert run("def f(): f()\nf()").error["type"] == "RecursionError"


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0c", "\x1c", "\v"])
def test_D99_lines_are_those_of_the_compiler(run, odd):
    error = run(f"s = 'a{odd}b'\nx = 1\nraise ValueError(x)\n").error
    assert error["line"] == 3 and "    raise ValueError(x)\n" in error["traceback"]


def test_a_lone_surrogate_in_the_source_is_an_error(run):
    assert run("x = '\ud800'").error["type"] == "SyntaxError"


def test_causes_are_shown_when_they_are_the_users(run):
    text = run("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('bad') from e").error["traceback"]
    assert "ZeroDivisionError" in text and "direct cause" in text and text.endswith("ValueError: bad\n")


def test_O115_exceptions_with_hostile_text(run):
    hostile = "class E(Exception):\n    def __str__(self): {}\nraise E('x')"
    assert "could not be made" in run(hostile.format("raise ValueError")).error["message"]
    huge = run(hostile.format("return 'y' * (200 << 20)"))
    assert len(huge.error["message"]) <= 2000 and len(huge.error["traceback"]) <= 20_000
    assert run(hostile.format("return 7")).error["type"] == "E"
    assert run("class E(Exception): pass\nE.__qualname__ = 'q' * 10**6\nraise E").ok is False
    assert run("raise ValueError('\\ud800')").error["message"] == "\\ud800"


def test_O115_groups_are_bounded(run):
    error = run("e = ValueError('inner')\nfor _ in range(10_000): e = ExceptionGroup('g', [e, e])\nraise e").error
    assert error["type"] == "ExceptionGroup" and len(error["traceback"]) < 5_000
    shown = run("raise ExceptionGroup('two', [ValueError('a'), TypeError('b')])").error["traceback"]
    assert "ValueError: a" in shown and "TypeError: b" in shown


def test_long_mutual_recursion_is_bounded(run):
    source = "import sys\nsys.setrecursionlimit(50_000)\n"
    source += "def a(n):\n    return b(n)\ndef b(n):\n    if n > 8000: raise ValueError\n    return a(n + 1)\na(0)"
    error = run(source).error
    assert error["type"] == "ValueError" and error["line"] == 6 and len(error["traceback"]) <= 20_000


def test_a_users_module_is_the_users_code_too(run):
    out = run(
        "open('mine.py', 'w').write('def f():\\n    return 1 / 0\\n')\nimport sys\nsys.path.insert(0, '.')\nimport mine\nmine.f()"
    )
    assert out.error["line"] == 5 and "mine.py" in out.error["traceback"]


def test_notes_and_interrupts(run):
    out = run("e = ValueError('v')\ne.add_note('look here')\nraise e")
    assert "look here" in out.error["traceback"]
    assert run("raise KeyboardInterrupt").error["type"] == "KeyboardInterrupt"
    assert run("raise GeneratorExit").error["type"] == "GeneratorExit"


def test_a_dataset_that_cannot_be_read_runs_nothing(run):
    out = run("print('never')", data={"bad.parquet": b"PAR1 nothing PAR1"})
    assert out.ok is False and out.stdout == ""
    assert out.error["type"] == "DatasetUnreadable" and out.error["name"] == "bad.parquet"


def test_describe_runs_no_code(run):
    out = run("print('never')", data=SALES, describe=True)
    assert out.ok and out.stdout == "" and [k for k, _ in out.frames] == ["D"]


def test_dfs_holds_twins_and_df_the_first(run):
    out = run("print(list(dfs), df is dfs['a'], len(df))", data={"a.csv": b"x\n1\n2\n", "a.tsv": b"x\ty\n1\t2\n"})
    assert out.stdout == "['a', 'a_2'] True 2\n"
