"""How a cell of a session ends, and what it shows: M40, M12."""

import os
import signal
import time

import pytest


def kinds(out):
    return [kind for kind, _ in out.frames]


def test_M40_a_failed_cell_keeps_what_it_had_done(live):
    live.say("x = 5")
    out = live.cell("x = 6\n1 / 0\nx = 7")
    assert out.ok is False and out.error["type"] == "ZeroDivisionError" and out.error["line"] == 2
    assert live.say("print(x)") == "6\n"


def test_M40_a_traceback_names_every_cell_and_line(live):
    live.say("\ndef f(n):\n    return g(n)")
    live.say("def g(n):\n    return 1 / n")
    error = live.cell("x = 1\nf(0)").error
    assert error["line"] == 2 and "> 2 | f(0)" in error["excerpt"]
    want = [
        'File "<cell 3>", line 2, in <module>\n    f(0)',
        'File "<cell 1>", line 3, in f\n    return g(n)',
        'File "<cell 2>", line 2, in g\n    return 1 / n',
    ]
    for part in want:
        assert part in error["traceback"], error["traceback"]


def test_M40_a_traceback_survives_a_cleared_line_cache(live):
    live.say("def f():\n    raise ValueError('x')")
    live.say("import linecache\nlinecache.clearcache()")
    assert "raise ValueError('x')" in live.cell("f()").error["traceback"]


def test_U26_a_syntax_error_runs_nothing_and_shows_nothing_old(live):
    live.say("print('first')")
    out = live.cell("print('never')\nvalues = [1, 2\nprint(values)")
    assert out.ok is False and out.stdout == "" and out.error["type"] == "SyntaxError" and out.error["line"] in (2, 3)


def test_U36_a_chart_of_one_cell_is_not_returned_by_the_next(live):
    assert len(live.cell("plt.plot([3, 1, 2])\nplt.show()").pngs()) == 1
    assert live.cell("print('none')").pngs() == []
    assert len(live.cell("plt.plot([3, 1, 2])").pngs()) == 1
    assert live.cell("1").pngs() == []


def test_M12_a_figure_that_a_later_cell_changes_is_shown_again(live):
    assert live.cell("fig, ax = plt.subplots()").pngs() == []
    assert len(live.cell("ax.plot([1, 2])").pngs()) == 1
    assert live.cell("x = ax.get_xlim()").pngs() == []
    assert len(live.cell("ax.set_title('now')").pngs()) == 1
    assert len(live.cell("fig").pngs()) == 1


def test_M12_a_failed_cell_leaves_no_chart_to_the_next(live):
    assert live.cell("plt.plot([1, 2])\n1 / 0").pngs() == []
    out = live.cell("plt.plot([5, 6])")
    assert len(out.pngs()) == 1


def test_M12_savefig_after_show_means_the_figure_of_the_cell_before(live):
    live.say("plt.plot([1, 2])\nplt.show()")
    live.say("plt.savefig('late.png')")
    assert (live.folder / "output" / "late.png").stat().st_size > 1000


def test_M12_values_are_those_of_their_cell(live):
    out = live.cell("display(1)\n2")
    assert out.main == {"text/plain": "2"} and len(out.all("V")) == 2
    assert kinds(live.cell("x = 1")) == []


def test_M40_large_values_are_held_as_long_as_they_are_the_newest(live):
    for _ in range(6):
        live.cell("np.zeros(2_000_000)")  # 16 MB
    assert live.say("print(sorted(Out), _.nbytes, __.nbytes, repr(___))") == "[5, 6] 16000000 16000000 ''\n"
    live.cell("np.zeros(5_000_000)")
    assert live.say("print(sorted(Out), _.nbytes, repr(__))") == "[8] 40000000 ''\n"
    live.cell("'small'")
    live.say("kept = np.zeros(5_000_000)")
    live.cell("kept")
    assert live.say("print(sorted(Out), _ is kept, repr(__), repr(___))") == "[12] True '' ''\n"
    assert live.say("print(kept.nbytes)") == "40000000\n"


def test_M12_charts_of_earlier_cells_do_not_pile_up_in_memory(live):
    for _ in range(12):
        live.cell("plt.figure()\nplt.plot([1, 2])")
    assert live.say("print(len(Out))") == "8\n"


def test_M40_variables_of_a_cell_are_taken_back(live):
    source = "import os\nprint(os.environ.get('A'), os.environ.get('B'), os.environ.get('LANG'))"
    live.say("import os\nos.environ['LANG'] = 'C'")
    assert live.say(source, env={"A": "1", "B": "2", "LANG": "x"}) == "1 2 x\n"
    assert live.say("os.environ['B'] = 'mine'", env={"B": "2"}) == ""
    assert live.say(source) == "None mine C\n"


def test_M40_a_forked_child_ends_at_the_end_of_its_cell(live):
    out = live.cell("import os\npid = os.fork()\nif pid:\n    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
    assert out.ok and out.stdout == "0\n"
    out = live.cell("pid = os.fork()\nif not pid:\n    1 / 0\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
    assert out.ok and out.stdout == "1\n" and "ZeroDivisionError" in out.stderr
    assert live.say("print('one')") == "one\n"


def test_M40_threads_go_on_and_what_they_show_belongs_to_the_next_cell(live):
    live.say(
        "import threading\ngo, done = threading.Event(), threading.Event()\nlog = []\n"
        "def work():\n    go.wait()\n    display('from the thread')\n    print('printed')\n    log.append(1)\n    done.set()\n"
        "t = threading.Thread(target=work)\nt.start()"
    )
    live.say("threading.Timer(0.05, go.set).start()")
    time.sleep(0.3)
    out = live.cell("done.wait()\nprint(log)")
    assert out.mime("text/plain") == ["'from the thread'"] and out.stdout == "printed\n[1]\n"


def test_M40_children_of_earlier_cells_go_on(live):
    live.say("import subprocess\np = subprocess.Popen(['/bin/cat'], stdin=-1, stdout=-1)")
    assert live.say("print(p.communicate(b'hello', timeout=10)[0], p.returncode)") == "b'hello' 0\n"
    live.say(
        "import multiprocessing as m\nq = m.SimpleQueue()\nw = m.Process(target=lambda: q.put(q.get() * 2))\nw.start()\nr = m.SimpleQueue()"
    )
    live.say("w2 = m.Process(target=lambda: r.put(5))\nw2.start()")
    assert live.say("w2.join()\nprint(r.get(), w.is_alive(), w2.exitcode)\nw.kill()") == "5 True 0\n"


def test_M40_closed_streams_are_opened_again(live):
    live.cell("import sys\nsys.stdout.close()\nsys.stderr.close()")
    assert live.say("print('again')") == "again\n"
    live.cell("sys.stdout = None")
    assert live.say("print('again')") == "again\n"


def test_M40_input_says_that_there_is_none_in_every_cell(live):
    for _ in range(2):
        error = live.cell("input('name? ')").error
        assert error["type"] == "EOFError" and "no interactive stdin" in error["message"]


@pytest.mark.parametrize(
    "source",
    [
        "r = json = print = _ = sys = open = display = plt = pd = np = len = repr = str = In = Out = 1",
        "import builtins\nfor n in ('len','isinstance','type','repr','str','open','print','getattr','list','sorted','any','issubclass','dict','zip','hasattr','id','iter','next','vars','all','range'):\n    setattr(builtins, n, None)",
        "import json\njson.dumps = json.loads = None\njson.JSONEncoder.encode = None",
        "import os\nos.write = os.getpid = os._exit = os.dup2 = os.close = os.listdir = os.environ = None",
        "import linecache\nlinecache.cache.clear()",
        "import sys\nsys.modules.clear()",
        "globals().clear()",
        "import gc\ngc.disable()\nimport threading\nthreading.enumerate = threading.active_count = threading._active = None",
        "import signal\nsignal.signal = signal.getsignal = signal.pthread_sigmask = None",
        "import random, numpy\nrandom.seed = random._inst = random.Random = None\nnumpy.random.seed = None",
        "import subprocess, asyncio, inspect\nsubprocess.Popen = asyncio.Runner = inspect.getfile = None",
        "In.clear()\nOut.clear()\nOut[99] = 1",
        "import warnings\nwarnings.simplefilter('error')",
        "def f(*a): return f\nimport sys\nsys.settrace(f)\nsys.setprofile(f)",
        "class M(type):\n    def __hash__(cls): raise ValueError\n    def __eq__(cls, o): raise ValueError\n    def __getattribute__(cls, n): raise ValueError\nclass A(metaclass=M): pass\na = A()",
    ],
)
def test_D88_nothing_a_cell_replaces_breaks_the_session(live, source):
    live.cell(source)
    assert live.cell("41 + 1").main == {"text/plain": "42"}
    snapshot = live.take()
    assert live.cell("1 / 0").error["type"] == "ZeroDivisionError"
    live.ask("variables")
    live.die()
    live.back(snapshot)
    assert live.cell("41 + 1").main == {"text/plain": "42"}


def interrupt(live, after=0.2):
    time.sleep(after)
    os.kill(live.pid, signal.SIGINT)


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.sleep(30)",
        "while True: pass",
        "import asyncio\nawait asyncio.sleep(30)",
        "import subprocess\nsubprocess.run(['/bin/sleep', '30'])",
        "import threading\nthreading.Event().wait(30)",
        "while True: print('x' * 1000, flush=True) if False else display('y') if False else None",
    ],
)
def test_M40_interrupt_ends_the_cell_and_keeps_the_state(live, source):
    live.say("x = 1")
    live.send("x = 2\n" + source)
    interrupt(live)
    began = time.monotonic()
    out = live.end()
    assert out.ok is False and out.error["type"] == "KeyboardInterrupt" and time.monotonic() - began < 5
    assert live.say("print(x)") == "2\n"
    assert live.say("import asyncio\nawait asyncio.sleep(0.01)\nprint('on')") == "on\n"


def test_M40_an_interrupt_between_cells_does_nothing(live):
    live.say("x = 1")
    os.kill(live.pid, signal.SIGINT)
    time.sleep(0.05)
    assert live.say("print(x)") == "1\n"


def test_M40_an_interrupt_that_overtakes_its_cell_counts(live):
    os.kill(live.pid, signal.SIGSTOP)
    live.send("import time\ntime.sleep(20)")
    os.kill(live.pid, signal.SIGINT)
    os.kill(live.pid, signal.SIGCONT)
    assert live.end().error["type"] == "KeyboardInterrupt"


def test_M40_an_interrupt_tears_no_frame(live):
    """Values that fill the socket are being made and sent when it comes."""
    for wait in range(12):
        live.send("big = 'x' * 60000\nwhile True: display(big)")
        time.sleep(0.05 + wait / 1000)
        os.kill(live.pid, signal.SIGINT)
        assert live.end().error["type"] == "KeyboardInterrupt"
    assert live.say("print(1)") == "1\n"


def test_M40_a_cell_may_take_interrupts_itself(live):
    live.send("import time\ntry:\n    time.sleep(30)\nexcept KeyboardInterrupt:\n    print('caught')\nx = 3")
    interrupt(live)
    out = live.end()
    assert out.ok and out.stdout == "caught\n" and live.say("print(x)") == "3\n"


def test_M40_a_display_that_never_ends_can_be_interrupted(live):
    live.say("class H:\n    def __repr__(self):\n        while True: pass")
    live.send("H()")
    interrupt(live, 0.4)
    out = live.end()
    assert out.ok is not None and live.say("print(5)") == "5\n"


ALARM = "import signal, time\ndef ring(*a): raise TimeoutError('rang')\nsignal.signal(signal.SIGALRM, ring)\nx = 1\n"


def test_M40_an_alarm_that_a_cell_forgot_rings_in_the_next_one(live):
    live.say(ALARM + "signal.setitimer(signal.ITIMER_REAL, 0.05)")
    time.sleep(0.2)
    error = live.cell("x = 2").error
    assert error["type"] == "TimeoutError" and error["message"] == "rang"
    assert live.say("print(x)") == "1\n"


def test_M40_an_alarm_ends_what_runs_and_tears_no_frame(live):
    live.say(ALARM + "big = 'x' * 60000")
    for source in ("time.sleep(20)", "while True: display(big)", "while True: pass"):
        # Again, for the first may strike in a repr, whose failures are shown.
        out = live.cell("signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)\n" + source)
        assert out.error["type"] == "TimeoutError"
        while not live.cell("signal.setitimer(signal.ITIMER_REAL, 0)").ok:
            pass
    assert live.say("print(x)") == "1\n"


def test_M40_an_alarm_between_cells_keeps_no_snapshot_away(live):
    live.say(ALARM)
    live.cell("signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\ntime.sleep(1)")  # it rings again and again
    snapshot = live.take()
    live.die()
    assert "lost_timers" in live.back(snapshot)
    assert live.say("time.sleep(0.05)\nprint(x)") == "1\n"


def test_M8_inputs_are_there_in_every_cell(tmp_path):
    import sessions

    alive = sessions.Live(tmp_path)
    try:
        out = alive.begin({"a.csv": b"n,v\n1,2\n3,4\n"}, env={"SEEN": "yes"})
        assert out.ok and out.all("D")[0][0]["name"] == "a.csv"
        assert alive.say("import os\nprint(len(df), list(dfs), os.environ['SEEN'])") == "2 ['a'] yes\n"
        assert alive.say("df['w'] = df.n + df.v\nprint(df.w.tolist())") == "[3, 7]\n"
        assert alive.say("print(df.w.sum())") == "10\n"
        assert alive.cell("df.nope").error["name"] == "nope"
    finally:
        alive.close()


def test_M8_a_file_that_cannot_be_read_leaves_a_session_without_it(tmp_path):
    import sessions

    alive = sessions.Live(tmp_path)
    try:
        out = alive.begin({"a.parquet": b"PAR1 broken"})
        assert out.ok is False and out.error["type"] == "DatasetUnreadable"
        assert alive.say("print('df' in globals(), dfs)") == "False {}\n"
    finally:
        alive.close()
