"""A state that goes to another sandbox: what arrives there, what cannot and is named: M40."""

import pytest
import sessions


@pytest.fixture
def pair(tmp_path):
    """Makes a session whose state came from another one that ran cells."""
    opened = []

    def move(*cells, between=lambda state: state):
        for name in ("from", "to"):
            (tmp_path / name).mkdir()
            opened.append(sessions.Live(tmp_path / name))
        origin, branch = opened[-2:]
        assert origin.begin().ok
        for cell in cells:
            origin.say(cell)
        state, lost = origin.export()
        arrived = branch.arrive(between(state))
        branch.count = origin.count
        branch.say(
            "o = __import__('os'); o.chdir(o.getcwd().replace('/from/', '/to/')); del o"
        )  # in a wall both have one name
        return origin, branch, arrived, lost

    yield move
    for live in opened:
        live.close()


# What a cell makes, and what shows that another session has it.
CARRIED = {
    "numbers": ("x = 41; y = [1, {2: (3, None)}]", "print(x, y)", "41 [1, {2: (3, None)}]"),
    "frame": ("t = pd.DataFrame({'k': ['a', 'b'], 'n': [1, 2]})", "print(t.n.sum(), list(t.k))", "3 ['a', 'b']"),
    "array": ("a = np.arange(6).reshape(2, 3)", "a += 1; print(a.sum(), a.shape)", "21 (2, 3)"),
    "function": ("def f(n, m=2):\n    'doc'\n    return n * m + k\nk = 1", "print(f(3), f.__doc__)", "7 doc"),
    "lambda": ("g = lambda n: n + 1", "print(g(1))", "2"),
    "recursion": ("def f(n): return n and n + f(n - 1)", "print(f(4))", "10"),
    "closure": ("def make(n):\n    def add(m): return m + n\n    return add\nadd = make(5)", "print(add(2))", "7"),
    "cached": (
        "import functools\n@functools.lru_cache(maxsize=None)\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)",
        "print(fib(30))",
        "832040",
    ),
    "class": (
        "class Point:\n    count = 0\n    def __init__(self, x): self.x = x; Point.count += 1\n    def twice(self): return 2 * self.x\np = Point(4)",
        "print(p.twice(), type(p) is Point, Point.count, Point(1).x)",
        "8 True 1 1",
    ),
    "dataclass": (
        "from dataclasses import dataclass\nD = 3\n@dataclass(frozen=True)\nclass Row:\n    n: int = D\nr = {Row(2), Row()}",
        "print(sorted(x.n for x in r), Row(2) in r)",
        "[2, 3] True",
    ),
    "inheritance": (
        "import abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def a(self): ...\nclass Own(Base):\n    def a(self): super().a(); return type(self).__name__\nown = Own()",
        "print(own.a(), isinstance(own, Base))",
        "Own True",
    ),
    "enum": ("from enum import Enum\nclass Color(Enum):\n    RED = 1\nc = Color.RED", "print(c is Color.RED)", "True"),
    "namedtuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\np = P(1, 2)",
        "print(p.y, type(p) is P)",
        "2 True",
    ),
    "module": ("import math as m, os.path", "print(m.pi > 3, os.path.join('a', 'b'))", "True a/b"),
    "shared": (
        "a = [1]; b = {'a': a}; t = pd.DataFrame({'n': [1]}); u = t",
        "a.append(2); print(b, t is u)",
        "{'a': [1, 2]} True",
    ),
    "source": (
        "def f():\n    return 1 + 1",
        "import inspect; print(inspect.getsource(f).strip().endswith('1 + 1'))",
        "True",
    ),
    "questions": (
        "x = 1",
        "try: input('name?')\nexcept EOFError as e: print(e)",
        "name?\ninput() cannot be answered: this sandbox has no interactive stdin; put the value into the code",
    ),
    "history": ("1 + 1", "print(In[1], Out[1], _)", "1 + 1 2 2"),
    "environment": ("import os; os.environ['A'] = 'b'", "print(os.environ['A'])", "b"),
    "directory": (
        "import os; os.makedirs('sub/deep'); os.chdir('sub')",
        "print(os.path.basename(os.getcwd()), os.listdir())",
        "sub ['deep']",
    ),
    "file": ("with open('f.txt', 'w') as f: f.write('text')\ndel f", "print(open('f.txt').read())", "text"),
    "options": (
        "pd.set_option('display.max_rows', 7); np.set_printoptions(precision=2)",
        "print(pd.get_option('display.max_rows'), np.array([1 / 3]))",
        "7 [0.33]",
    ),
    "option of a cell": (
        "pd.options.display.float_format = lambda v: f'{v:.1f}!'",
        "print(pd.Series([1.25])[0:1].to_string(index=False))",
        "1.2!",
    ),
    "warnings": (
        "import warnings; warnings.simplefilter('error')",
        "try: warnings.warn('x')\nexcept UserWarning: print('raised')",
        "raised",
    ),
    "style": ("plt.rcParams['font.size'] = 21", "print(plt.rcParams['font.size'])", "21.0"),
    "figure": (
        "fig, ax = plt.subplots(figsize=(3, 2)); ax.plot([1, 2])",
        "print(type(fig).__name__, len(fig.axes[0].lines))",
        "Figure 1",
    ),
    "builtin": ("import builtins; builtins.answer = 42", "print(answer)", "42"),
    "deleted name": ("del np", "print('np' in globals(), 'pd' in globals())", "False True"),
    "method": ("class A:\n    def m(self): return 'm'\nm = A().m", "print(m())", "m"),
    "closed file": (
        "with open('f', 'wb') as f: f.write(b'x')",
        "print(f.closed, type(f).__name__)",
        "True BufferedWriter",
    ),
    "partial": ("import functools\ndef f(a, b): return a - b\np = functools.partial(f, 10)", "print(p(3))", "7"),
}


@pytest.mark.parametrize("made,shown,want", CARRIED.values(), ids=CARRIED)
def test_M40_what_a_cell_made_arrives(pair, made, shown, want):
    origin, branch, arrived, lost = pair(made)
    assert arrived.ok and not lost and not arrived.notices(), (arrived.frames, lost)
    assert branch.say(shown).strip() == want
    assert origin.say(shown).strip() == want


LOST = {
    "generator": ("g = (n for n in [1])", "g (generator)"),
    "socket": ("import socket\ns = socket.socketpair()", "s (tuple)"),
    "open file": ("f = open('f', 'w')", "f (_io.TextIOWrapper)"),
    "thread": ("import threading\nt = threading.Thread(target=print)", "t (threading.Thread)"),
    "lock": ("import threading\nl = {'a': threading.Lock()}", "l (dict)"),
    "database": ("import sqlite3\nc = sqlite3.connect(':memory:')", "c (sqlite3.Connection)"),
    "refuses": ("class N:\n    def __reduce__(self): raise ValueError\nn = N()", "n (N)"),
    "does not come back": ("class N:\n    def __setstate__(self, s): raise ValueError\nn = N(); n.a = 1", "n (N)"),
    "made by a function": ("def make():\n    class L: pass\n    return L\nl = make()()", "l (make.<locals>.L)"),
    "own module": ("import types\nm = types.ModuleType('m')", "m (module)"),
    "deep": ("d = []\nfor _ in range(200_000): d = [d]", "d (list)"),
}


@pytest.mark.parametrize("made,named", LOST.values(), ids=LOST)
def test_M40_what_cannot_go_along_is_named_and_the_rest_arrives(pair, made, named):
    _, branch, arrived, lost = pair("x = 41; a = [x]", made)
    assert arrived.ok, arrived.frames
    told = {**lost, **arrived.notices()}
    assert named in told["lost_variables"]["names"].split(", ") or named in told["lost_variables"]["names"], told
    assert branch.say("print(x + 1, a)").strip() == "42 [41]"


def test_M40_branches_draw_differently_unless_a_seed_was_set(pair):
    draw = "import random\nprint(random.random(), np.random.rand())"
    origin, branch, *_ = pair("import random")
    assert origin.say(draw) != branch.say(draw)


def test_M40_a_seed_that_was_set_goes_along(pair):
    draw = "print(random.random(), np.random.rand(), g.random())"
    origin, branch, *_ = pair("import random\nrandom.seed(1); np.random.seed(1); g = np.random.default_rng(1)")
    assert origin.say(draw) == branch.say(draw)


def test_M40_files_arrive_with_names_links_modes_and_times(pair):
    made = """
import os
os.mkdir('d', 0o500); open('e\\udc80', 'w').close()
os.symlink('/nowhere', 'l'); os.mkfifo('p'); open('a', 'w').write('1'); os.link('a', 'b'); os.utime('a', (5, 5)); os.chmod('a', 0o640)
os.truncate('a', 1 << 20)
"""
    shown = """
for n in sorted(os.listdir()):
    s = os.lstat(n); print(ascii(n), oct(s.st_mode), s.st_size if n == 'a' else '', s.st_nlink if n in 'ab' else '')
print(os.readlink('l'), os.path.samefile('a', 'b'))
"""
    origin, branch, arrived, lost = pair(made)
    assert arrived.ok and not lost and not arrived.notices()
    assert branch.say(shown) == origin.say(shown)


def test_M40_files_that_cannot_go_along_are_named(pair):
    _, branch, arrived, lost = pair("open('hole', 'w').truncate(1 << 43); open('f', 'w').write('x')")
    assert arrived.ok and lost["lost_files"]["names"] == "hole"
    assert branch.say("import os; print(os.listdir())").strip() == "['f']"


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: b"",
        lambda state: state[:-4],
        lambda state: state[: len(state) // 2],
        lambda state: b"x" + state,
        lambda state: state[:17] + b"\xff\xff\xff\xff" + state[21:],
    ],
)
def test_M40_a_damaged_state_is_an_error_and_no_end(pair, damage):
    _, branch, arrived, _ = pair("x = 41", between=damage)
    assert arrived.ok is False and arrived.error["type"].endswith("Damaged")
    assert branch.say("print(1)").strip() == "1"


def test_M40_the_state_that_was_packed_goes_on_as_it_was(pair):
    origin, *_ = pair("import random\nrandom.seed(3)\ng = (n for n in range(3)); next(g)\nf = open('f', 'w')")
    assert origin.say("f.write('x'); f.close(); print(next(g), open('f').read())").strip() == "1 x"
