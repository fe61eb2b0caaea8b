"""The restricted interpreter of the profile strict: what it keeps back, what it must not break, its gaps: M19."""

import pytest

MODULES = ["pandas", "numpy", "matplotlib", "seaborn", "json", "math", "statistics", "datetime", "collections"]
NAMES = "exec eval compile open import __import__ vars globals locals dir getattr setattr delattr __class__".split()
STRICT = {
    "imports": [
        {"modules": MODULES, "others": True, "plain": True, "from": False, "message": "禁止 import 模块: {name}"},
        {"modules": MODULES, "others": True, "plain": False, "from": True, "message": "禁止 from {module} import"},
    ],
    "builtins": {name: f"禁止使用: {name}" for name in NAMES},
}
SALES = {"sales.csv": "区域,revenue,at\n华东,3,2024-01-02\n华南,5,2024-02-03\n华东,4,2024-02-05\n".encode()}


@pytest.fixture
def strict(run):
    return lambda source, **more: run(source, restrict=STRICT, **more)


@pytest.mark.parametrize(
    "source, words",
    [
        ("import os", "禁止 import 模块: os"),
        ("import os.path as p", "禁止 import 模块: os"),
        ("def f():\n    import subprocess\nf()", "禁止 import 模块: subprocess"),
        ("from os.path import join", "禁止 from os.path import"),
        ("from statistics import sys", "禁止 from statistics import"),
        ("from collections import _sys as s", "禁止 from collections import"),
        ("from pandas.io.common import os", "禁止 from pandas.io.common import"),
        ("import pandasx", "禁止 import 模块: pandasx"),
        ("open('x.txt', 'w')", "禁止使用: open"),
        ("eval('1')", "禁止使用: eval"),
        ("f = getattr\nf(1, 'real')", "禁止使用: getattr"),
        ("[vars]\nmap(vars, [1]).__next__()", "禁止使用: vars"),
        ("@exec\ndef f(): pass", "禁止使用: exec"),
        ("class A(metaclass=eval): pass", "禁止使用: eval"),
        ("sorted([1], key=dir)", "禁止使用: dir"),
        ("(lambda: globals())()", "禁止使用: globals"),
        ("x = __builtins__['op' 'en']\nx('f')", "禁止使用: open"),
        ("x = __builtins__['__imp' + 'ort__']\nx('os')", "禁止 import 模块: os"),
        ("np.arange(3).tofile('a.bin')", "禁止使用: open"),  # C takes the program's builtins for its own
        ("(lambda: 0).__globals__['__builtins__']['eval']('1')", "禁止使用: eval"),
    ],
)
def test_M19_what_strict_does_not_give_says_so_in_the_articles_words(strict, source, words):
    out = strict(source)
    assert not out.ok
    assert (out.error["type"], out.error["message"]) == ("SecurityError", words)
    assert out.error["line"] >= 1
    assert "_cellwall" not in out.error["traceback"] and "restricted" not in out.error["traceback"]


@pytest.mark.parametrize(
    "source, printed",
    [
        ("import pandas as p, numpy.linalg\nprint(p.DataFrame({'a': [1]}).a.sum(), numpy.linalg.det([[2]]))", "1 2.0"),
        ("from matplotlib import pyplot\nfrom collections import abc, Counter\nprint(Counter('aab')['a'])", "2"),
        ("from numpy import linalg\nfrom datetime import date\nprint(date(2024, 1, 2).isoformat())", "2024-01-02"),
        ("import json, math, statistics\nprint(json.dumps({'x': math.floor(statistics.mean([1, 2]))}))", '{"x": 1}'),
        ("try:\n    import scipy\nexcept ImportError:\n    print('without')", "without"),
        ("class A:\n    x = 1\n    def f(self): return super().__init__() or self.x\nprint(A().f())", "1"),
        ("print(sum(map(int, '123')), max([1, 2]), isinstance(1, int), sorted({3, 1}))", "6 2 True [1, 3]"),
        (
            "def g():\n    yield from range(3)\nprint(list(g()), [x * y for x in range(2) for y in range(2)])",
            "[0, 1, 2]",
        ),
        ("print(df.query('revenue > 3').shape, df.eval('revenue + 1').tolist())", "(2, 3) [4, 6, 5]"),
        ("limit = 3\nprint(len(df.query('revenue > @limit')))", "2"),
        ("print(df.groupby('区域')['revenue'].agg(['sum', lambda s: s.max()]).shape)", "(2, 2)"),
        ("print(pd.to_datetime(df['at']).dt.month.tolist(), df.describe().shape)", "[1, 2, 2]"),
        ("df.to_csv('a.csv', index=False)\nprint(len(pd.read_csv('a.csv')))", "3"),
        ("df.to_excel('a.xlsx')\nprint(pd.read_excel('a.xlsx').shape)", "(3, 4)"),
        ("df.to_json('a.json')\nprint(pd.read_json('a.json').shape)", "(3, 3)"),
        (
            "ax = df.plot(x='at', y='revenue')\nax.figure.savefig('a.png')\nplt.savefig('a.pdf')\nprint('drawn')",
            "drawn",
        ),
        ("print(pd.Timestamp('2024-01-01', tz='Asia/Shanghai').tzname())", "CST"),
        ("from statistics import *\nprint(mean([1, 3]))", "2"),
        ("from matplotlib.pyplot import *\nplot([1, 2])\nprint('drawn')", "drawn"),
        (
            "t = df.pivot_table(index='区域', values='revenue', aggfunc='mean')\nprint(t.to_markdown is not None)",
            "True",
        ),
        (
            "import datetime\nprint(datetime.datetime.strptime('2024-03-01', '%Y-%m-%d').date(), f'{datetime.date(2024, 1, 2):%B}')",
            "2024-03-01 January",
        ),
        (
            "x = np.save('a.npy', np.arange(3)) or np.load('a.npy')\nprint(x.sum(), np.random.default_rng(1).integers(9) >= 0)",
            "3 True",
        ),
        (
            "print(np.array(['2024-01-02'], dtype='datetime64[D]').astype(object)[0].year, np.float64('1.5').as_integer_ratio())",
            "2024 (3, 2)",
        ),
        (
            "print(df['at'].astype('datetime64[ns]').dt.strftime('%d').tolist(), df.revenue.rolling(2).apply(lambda w: w.max()).tolist()[1])",
            "['02', '03', '05'] 5.0",
        ),
        ("display(df)\nprint(f'{df.revenue.sum():,}')", "12"),
    ],
)
def test_M19_what_analyses_do_works(strict, source, printed):
    out = strict(source, data=SALES)
    assert out.ok, out.frames
    assert out.stdout.startswith(printed)


def test_M19_a_star_brings_no_module_that_may_not_be_imported(strict):
    out = strict("from pandas.io.common import *\nprint('x')\nos")
    assert out.stdout == "x\n"
    assert out.error["type"] == "NameError"


def test_M19_an_error_of_the_code_is_its_own(strict):
    out = strict("import math\nmath.sqrt('x')")
    assert (out.error["type"], out.error["line"]) == ("TypeError", 2)
    assert strict("undefined_name").error["type"] == "NameError"
    assert strict("from math import nothing").error["type"] == "ImportError"


# What leads around it: only the wall stops what these would do.
@pytest.mark.parametrize(
    "source",
    [
        "print(pd.io.common.os.getpid() > 0)",
        "import json\nprint(json.codecs.builtins.eval('1 == 1'))",
        "print([c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'] is not None)",
        "print(pd.DataFrame.describe.__globals__['__builtins__']['eval']('1 == 1'))",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e.__traceback__.tb_frame.f_back.f_builtins['eval']('1 == 1'))",
        "print('{0.__class__}'.format(1) == \"<class 'int'>\")",
    ],
)
def test_M19_its_known_gaps_are_gaps(strict, source):
    out = strict(source)
    assert (out.ok, out.stdout) == (True, "True\n"), out.frames


def test_M19_without_a_restriction_there_is_none(run):
    out = run("import os, builtins\nprint(__builtins__ is builtins, open is builtins.open, os.getpid() > 0)")
    assert out.stdout == "True True True\n"


def test_M19_cells_of_a_session_are_restricted_each(live):
    assert live.say("import math\ndef f(): return open('x')", restrict=STRICT) == ""
    assert live.cell("f()", restrict=STRICT).error["message"] == "禁止使用: open"
    assert live.cell("import os", restrict=STRICT).error["message"] == "禁止 import 模块: os"
    assert live.say("print(math.pi > 3)", restrict=STRICT) == "True\n"
    live.say("import os\nprint(open)")  # a cell of another profile finds all of Python
    assert live.cell("f()").error["message"] == "禁止使用: open"  # what was made before it does not


def test_M19_a_state_arrives_restricted(tmp_path):
    import sessions

    both = []
    for name in ("from", "to"):
        (tmp_path / name).mkdir()
        both.append(sessions.Live(tmp_path / name))
    origin, branch = both
    try:
        assert origin.begin(restrict=STRICT).ok
        origin.say("def f(): return open('x')\nclass A:\n    def g(self): return eval('1')", restrict=STRICT)
        state, lost = origin.export()
        assert not lost
        branch.arrive(state, restrict=STRICT)
        branch.count = origin.count
        assert branch.cell("f()", restrict=STRICT).error["message"] == "禁止使用: open"
        assert branch.cell("A().g()", restrict=STRICT).error["message"] == "禁止使用: eval"
    finally:
        for live in both:
            live.close()
