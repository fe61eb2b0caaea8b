"""What one cell leaves behind the next one finds: M40.

Every row runs twice: as cells one after the other, and with a death before the
last cell, from which the session comes back.
"""

import pytest

# Each row: a name, the cells before, the last cell, what the last one prints.
STATES = {
    "names": (["x = 41"], "print(x + 1)", "42"),
    "imports": (["import math, os.path as p\nfrom json import dumps as d"], "print(math.floor(2.5), p.basename('/a/b'), d([1]))", "2 b [1]"),
    "functions": (["def f(n): return n * k\nk = 3"], "k = 4\nprint(f(2))", "8"),
    "classes": (["class A:\n    n = 1\n    def m(self): return self.n"], "class B(A):\n    def m(self): return super().m() + 1\nprint(B().m(), isinstance(B(), A))", "2 True"),
    "dataclasses": (["from dataclasses import dataclass\n@dataclass\nclass R:\n    a: int\nr = R(1)"], "print(r, R(1) == r, type(r) is R)", "R(a=1) True True"),
    "source of functions": (["x = 1\ndef vat(x):\n    return x * 0.19"], "import inspect\nprint(inspect.getsource(vat), end='')", "def vat(x):\n    return x * 0.19"),
    "source of lambdas": (["f = lambda x: x + 1"], "import inspect\nprint(inspect.getsource(f), end='')", "f = lambda x: x + 1"),
    "source of classes": (["import inspect\nx = 1\nclass A:\n    a = 1\n    class In:\n        b = 2", "class B:\n    def m(self): pass"], "print(inspect.getsource(A) + inspect.getsource(A.In) + inspect.getsource(B), end='')", "class A:\n    a = 1\n    class In:\n        b = 2\n    class In:\n        b = 2\nclass B:\n    def m(self): pass"),
    "pickle": (["class P:\n    def __init__(self, v): self.v = v\ndef top(): return 7\nimport pickle\ns = pickle.dumps([P(5), top])"], "p, t = pickle.loads(s)\nprint(p.v, type(p) is P, t is top)", "5 True True"),
    "copies": (["import copy\nclass P: pass\na = P(); a.x = [1]"], "b = copy.deepcopy(a)\nprint(b.x, b is a, type(b) is P)", "[1] False True"),
    "figures by name": (["fig, ax = plt.subplots()\nax.plot([1, 2], label='one')"], "print(ax.lines[0].get_label(), len(fig.axes))", "one 1"),
    "a bare figure": (["plt.figure(figsize=(3, 2))"], "plt.plot([1, 2])\nprint(plt.gcf().get_size_inches().tolist())", "[3.0, 2.0]"),
    "bare axes": (["fig, axes = plt.subplots(1, 2)"], "axes[0].plot([1, 2])\nprint(plt.gcf() is fig)", "True"),
    "random": (["import random\nrandom.seed(1)\na = random.random()"], "random.seed(1); random.random()\nb = random.random()\nrandom.seed(1); random.random()\nprint(random.random() == b)", "True"),
    "random goes on": (["import random\nrandom.seed(5)\nwant = [random.random() for _ in range(3)]\nrandom.seed(5)\nrandom.random()"], "print([random.random(), random.random()] == want[1:])", "True"),
    "numpy goes on": (["np.random.seed(5)\nwant = np.random.rand(3).tolist()\nnp.random.seed(5)\nnp.random.rand()"], "print(np.random.rand(2).tolist() == want[1:])", "True"),
    "generators of numpy": (["g = np.random.default_rng(5)\nwant = g.random(3).tolist()\ng = np.random.default_rng(5)\ng.random()"], "print(g.random(2).tolist() == want[1:])", "True"),
    "working directory": (["import os\nos.mkdir('deep')\nos.chdir('deep')"], "print(os.path.basename(os.getcwd()))", "deep"),
    "environment": (["import os\nos.environ['MINE'] = '1'\nos.environ.pop('LANG', None)"], "print(os.environ['MINE'], 'LANG' in os.environ, os.getenv('MINE'))", "1 False 1"),
    "underscore": (["6 * 7"], "print(_)", "42"),
    "three underscores": (["1", "'two'", "[3]"], "print(_, __, ___)", "[3] two 1"),
    "underscore of the code": (["_ = 'mine'", "5"], "print(_)", "mine"),
    "Out": (["6 * 7", "x = 1", "'b'", "4;"], "print(Out)", "{1: 42, 3: 'b'}"),
    "In": (["x = 1", "y = 2"], "print(In[1:3], In[0] == '')", "['x = 1', 'y = 2'] True"),
    "warning filters": (["import warnings\nwarnings.simplefilter('error')"], "try:\n    warnings.warn('w')\nexcept UserWarning as e:\n    print('raised', e)", "raised w"),
    "pandas options": (["pd.set_option('display.max_rows', 7)"], "print(pd.get_option('display.max_rows'))", "7"),
    "numpy print options": (["np.set_printoptions(precision=2)"], "print(np.array([1.23456]))", "[1.23]"),
    "style of charts": (["plt.rcParams['figure.figsize'] = (4, 3)"], "print(plt.rcParams['figure.figsize'])", "[4.0, 3.0]"),
    "decimal context": (["import decimal\ndecimal.getcontext().prec = 5"], "print(decimal.Decimal(1) / 3)", "0.33333"),
    "locale of numbers": (["import locale\nlocale.setlocale(locale.LC_ALL, 'C')"], "print(locale.localeconv()['decimal_point'])", "."),
    "sys.path": (["import sys\nopen('mod_x.py', 'w').write('v = 9')\nsys.path.insert(0, '.')"], "import mod_x\nprint(mod_x.v)", "9"),
    "patched builtins": (["import builtins\nbuiltins.answer = 42\nplain = builtins.sorted\nbuiltins.sorted = lambda x: 'mine'"], "print(answer, sorted([2, 1]))", "42 mine"),
    "recursion limit": (["import sys\nsys.setrecursionlimit(500)"], "print(sys.getrecursionlimit())", "500"),
    "signal handlers": (["import signal\nsignal.signal(signal.SIGUSR1, lambda *a: print('heard'))"], "signal.raise_signal(signal.SIGUSR1)", "heard"),
    "handler of SIGINT": (["import signal\nsignal.signal(signal.SIGINT, lambda *a: print('mine'))"], "signal.raise_signal(signal.SIGINT)", "mine"),
    "blocked signals": (["import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})"], "print(signal.SIGUSR2 in signal.pthread_sigmask(signal.SIG_BLOCK, ()), len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))", "True 1"),
    "umask": (["import os\nos.umask(0o027)"], "print(oct(os.umask(0o027)))", "0o27"),
    "context variables": (["import contextvars\nv = contextvars.ContextVar('v')\nv.set(3)"], "print(v.get())", "3"),
    "thread locals": (["import threading\nt = threading.local()\nt.x = 3"], "print(t.x)", "3"),
    "generators": (["def g():\n    for i in range(9):\n        yield i\nit = g()\nnext(it); next(it)"], "print(next(it), next(it))", "2 3"),
    "asynchronous generators": (["async def g():\n    for i in range(9):\n        yield i\nit = g()\nawait anext(it)"], "print(await anext(it))", "1"),
    "await": (["import asyncio\nasync def f(x):\n    await asyncio.sleep(0.001)\n    return x\na = await f(1)"], "print(a, await f(2))", "1 2"),
    "tasks": (["import asyncio\nlog = []\nasync def f():\n    for i in range(3):\n        log.append(i)\n        await asyncio.sleep(0.002)\nt = asyncio.create_task(f())\nawait asyncio.sleep(0)"], "await t\nprint(log)", "[0, 1, 2]"),
    "locks of asyncio": (["import asyncio\nl = asyncio.Lock()\nawait l.acquire()"], "l.release()\nawait l.acquire()\nprint(l.locked())", "True"),
    "threads of asyncio": (["import asyncio\na = await asyncio.to_thread(lambda: 1)"], "print(a, await asyncio.to_thread(lambda: 2))", "1 2"),
    "future imports in their cell": (["from __future__ import annotations\ndef f(x: nowhere): pass"], "print(f.__annotations__)", "{'x': 'nowhere'}"),
    "files being read": (["open('a', 'w').write('one\\ntwo\\nthree\\n')\nf = open('a')\nf.readline()"], "print(f.readline(), f.read(), end='')", "two\n three"),
    "files being read raw": (["import os\nopen('a', 'w').write('0123456789')\nfd = os.open('a', os.O_RDONLY)\nos.read(fd, 4)"], "print(os.read(fd, 3))", "b'456'"),
    "memory of bytes": (["import io\nb = io.StringIO()\nb.write('x')"], "b.write('y')\nprint(b.getvalue())", "xy"),
    "sqlite in memory": (["import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t (a)')\nc.execute('insert into t values (1)')"], "c.execute('insert into t values (2)')\nprint(c.execute('select sum(a) from t').fetchone())", "(3,)"),
    "sqlite cursors": (["import sqlite3\nc = sqlite3.connect('db')\nc.execute('create table t (a)')\nc.executemany('insert into t values (?)', [(i,) for i in range(5)])\nc.commit()\ncur = c.execute('select a from t')\ncur.fetchone()"], "print(cur.fetchone(), c.total_changes)", "(1,) 5"),
    "sqlite transactions": (["import sqlite3\nc = sqlite3.connect('db')\nc.execute('create table t (a)')\nc.commit()\nc.execute('insert into t values (1)')"], "c.commit()\nprint(sqlite3.connect('db').execute('select * from t').fetchall())", "[(1,)]"),
    "frames": (["t = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\nt['c'] = t.a * 2"], "print(t.c.sum(), t.b.tolist(), t.dtypes.astype(str).tolist())", "6 ['x', 'y'] ['int64', 'str', 'int64']"),
    "views": (["a = np.arange(5)\nb = a[1:3]"], "b[:] = 0\nprint(a)", "[0 0 0 3 4]"),
    "caches": (["import functools\n@functools.cache\ndef f(x):\n    print('called')\n    return x\nf(1)"], "print(f(1), f.cache_info().hits)", "1 1"),
    "weak references": (["import weakref\nclass A: pass\na = A()\nw = weakref.ref(a)"], "print(w() is a)\ndel a\nprint(w())", "True\nNone"),
    "logging": (["import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(message)s', level='INFO', force=True)"], "logging.info('said')", "said"),
    "functions that cells define later": (["def a(): return b()"], "def b(): return 5\nprint(a())", "5"),
    "global statements": (["n = 0\ndef up():\n    global n\n    n += 1"], "up(); up()\nprint(n)", "2"),
    "deleted names": (["x = 1\ny = 2\ndel x"], "print('x' in globals(), y)", "False 2"),
    "exit hooks do not run": (["import atexit\natexit.register(print, 'never')"], "print('here')", "here"),
    "sys.exit": (["x = 1\nimport sys\nsys.exit()"], "print(x)", "1"),
    "what ended cells printed is not repeated": (["print('old')"], "print('new')", "new"),
    "children by fork": (["import os\npid = os.fork()\nif pid == 0: os._exit(3)\nst = os.waitpid(pid, 0)[1]"], "print(os.waitstatus_to_exitcode(st))", "3"),
}  # fmt: skip

FILES = {"sqlite transactions"}  # the last cell changes files, which the host brings back
LOST = {
    "sqlite cursors": {"lost_locks"},
    "sqlite transactions": {"lost_locks"},
    "threads of asyncio": {"lost_pools"},
}


@pytest.mark.parametrize("name", STATES)
def test_M40_state_lives_on(live, name):
    before, last, want = STATES[name]
    for source in before:
        live.say(source)
    assert live.say(last).rstrip("\n") == want


@pytest.mark.parametrize("name", STATES)
def test_M40_state_comes_back(live, name):
    before, last, want = STATES[name]
    for source in before:
        live.say(source)
    snapshot = live.take()
    if name not in FILES:
        live.cell(last)  # what it moves must be moved back
    live.die()
    lost = live.back(snapshot)
    assert live.say(last).rstrip("\n") == want
    assert lost.keys() == LOST.get(name, set()), lost
