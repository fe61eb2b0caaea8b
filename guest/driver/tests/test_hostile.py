"""No name and no replaced function of the code can break the driver: D88, D89, D92, D93."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "source",
    [
        "r = json = print = _ = df = sys = open = display = out_dir = dfs = plt = pd = np = len = repr = str = 1",
        "import builtins\nfor n in ('len','isinstance','type','repr','str','open','print','getattr','Exception','list','sorted','any','issubclass','dict','zip','range','enumerate','hasattr','callable','sum','min','max','bool','id','iter','next','map','set','tuple','vars'):\n    setattr(builtins, n, None)",
        "import json\njson.dumps = json.loads = None\njson.JSONEncoder.encode = None",
        "import sys\nsys.stdout = None\nsys.stderr = None",
        "import sys\nsys.stdout.close()\nsys.stderr.close()",
        "import os\nos.write = os.getpid = os._exit = None",
        "import sys\nsys.exit = sys.excepthook = sys.displayhook = None",
        "import traceback, linecache\ntraceback.StackSummary.from_list = None\nlinecache.cache.clear()",
        "import sys\nsys.modules.clear()",
        "import sys\nsys.modules['__main__'] = None",
        "globals().clear()",
        "import gc\ngc.disable()\nimport threading\nthreading.enumerate = threading.active_count = None",
        "import io\nio.TextIOWrapper = io.open = None",
        "import base64, binascii, math, datetime\nbinascii.b2a_base64 = math.isfinite = None",
        "import sys\nsys.setrecursionlimit(60)",
        "import atexit\natexit.register(lambda: 1 / 0)",
        "import warnings\nwarnings.simplefilter('error')",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "import ast\nast.walk = ast.unparse = ast.parse = None",
    ],
)
def test_D88_nothing_the_code_replaces_breaks_the_driver(run, source):
    out = run(source + "\n41 + 1")
    assert out.ok is True and out.main == {"text/plain": "42"}, out.frames
    out = run(source + "\n1 / 0")
    assert out.ok is False and out.error["type"] == "ZeroDivisionError", out.frames
    assert out.error["line"] == source.count("\n") + 2


def test_D88_a_trace_that_raises_ends_the_program_only(run):
    out = run("def f(*a): raise RuntimeError\nimport sys\nsys.settrace(f)\nsys.setprofile(f)\n1")
    assert out.ok is False and out.error["type"] == "RuntimeError"
    assert run("def f(*a): return f\nimport sys\nsys.settrace(f)\nsys.setprofile(f)\n1").main == {"text/plain": "1"}


def test_D89_nothing_of_the_driver_is_reachable_by_name(run):
    out = run(
        "import builtins\nnames = dict(globals())\n"
        "print(sorted(n for n in names if not n.startswith('__')))\n"
        "print([n for n, v in names.items() if getattr(v, '__module__', '') and 'cellwall' in str(getattr(v, '__module__', ''))])\n"
        "print('cellwall' in ' '.join(map(repr, vars(builtins).values())))"
    )
    assert out.stdout == "['builtins', 'dfs', 'display', 'get_ipython', 'np', 'out_dir', 'pd', 'plt']\n[]\nFalse\n"


def test_D92_every_run_begins_with_defaults(run):
    out = run(
        "import matplotlib, decimal, sys, warnings\n"
        "d = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in ('backend', 'backend_fallback')}\n"
        "print([k for k in d if matplotlib.rcParams[k] != d[k]])\n"
        "print(pd.get_option('display.max_rows'), sys.getrecursionlimit(), plt.get_fignums(), sys.argv)\n"
        "print(decimal.getcontext().prec, __name__, __file__, len(sys.modules['__main__'].__dict__) > 5)"
    )
    assert out.stdout == "[]\n60 1000 [] ['<cell>']\n28 __main__ <cell> True\n"


def test_D93_two_runs_draw_different_numbers(run):
    source = "import random, uuid, tempfile\nprint(random.random(), np.random.rand(), uuid.uuid4(), uuid.uuid1(), tempfile.mktemp(), np.random.default_rng().random(), random.SystemRandom().random())\nprint(pd.Series(range(100)).sample(3).tolist())"
    first, second = run(source).stdout.split(), run(source).stdout.split()
    assert not set(first[:7]) & set(second[:7]) and first[7:] != second[7:]


def test_a_rehearsal_leaves_no_trace(run):
    out = run(
        "import linecache, sys\nprint([k for k in linecache.cache if 'sample' in k], [n for n in globals() if n.startswith('_') and not n.startswith('__')], plt.get_fignums())"
    )
    assert out.stdout == "[] [] []\n"


def launcher():
    """How this interpreter was started: perhaps through a loader of its own."""
    words = Path("/proc/self/cmdline").read_text().split("\0")
    last = next(at for at, word in enumerate(words) if "python" in os.path.basename(word))
    return words[: last + 1]


@pytest.mark.parametrize("refined", ["", "shell.warm_charts(); shell.warm_readers(); shell.settle()"])
def test_the_warm_process_has_one_thread_and_no_open_files(refined):
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
        "from _cellwall import shell; shell.warm([]); "
        f"{refined}\n"
        "print(len(os.listdir('/proc/self/task')), sorted(map(int, os.listdir('/proc/self/fd'))))"
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    done = subprocess.run([*launcher(), "-c", script, root], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split(" ", 1)[0] == "1" and done.stdout.strip().endswith("[0, 1, 2, 3]"), done.stdout


@pytest.mark.parametrize("end", ["SystemExit(0)", "SystemExit(3)", "KeyboardInterrupt", "GeneratorExit"])
def test_O114_a_value_that_ends_the_interpreter_is_shown_as_one_that_fails(run, end):
    value = f"class H:\n    def __repr__(self): raise {end}\n    _repr_html_ = _repr_mimebundle_ = __repr__\n"
    said = f"<H: its repr raised {end.partition('(')[0]}>"
    out = run(value + "display(H())\nprint('SHOWN')\nH()")
    assert out.ok is True and out.stdout == "SHOWN\n" and out.stderr == "", out
    assert out.mime("text/plain") == [said, said]
    assert run(value + "{'a': H()}").ok is True
    assert run(value + "pd.DataFrame({'a': [H()]})").ok is True
    out = run(f"class E(Exception):\n    def __str__(self): raise {end}\nraise E")
    assert out.ok is False and out.error["type"] == "E" and out.stderr == "", out
