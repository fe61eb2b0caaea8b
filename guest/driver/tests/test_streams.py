"""Text in and out: M15, and what a program of a few lines expects."""

import signal


def test_U01_scripts_come_back_byte_for_byte(run):
    assert run('print("销售额 ¥1,280 – naïve – Ελλάδα – 👩‍👩‍👧 – e\\u0301")').stdout == (
        "销售额 ¥1,280 – naïve – Ελλάδα – 👩‍👩‍👧 – e\u0301\n"
    )


def test_U02_a_lone_surrogate_is_escaped(run):
    out = run('print("before")\nprint("bad \\udc80 char")\nprint("after")\n"x\\ud800"')
    assert out.ok and out.stdout == "before\nbad \\udc80 char\nafter\n"
    assert out.main["text/plain"] == "'x\\ud800'"


def test_U03_the_last_line_without_newline_is_kept(run):
    assert run('print("a")\nprint("b", end="")').stdout == "a\nb"


def test_U06_logs_and_warnings_land_on_stderr_with_the_users_line(run):
    out = run('import logging, warnings\nlogging.warning("3 rows")\nwarnings.warn("gaps")\nprint(27)')
    assert out.ok and out.stdout == "27\n"
    assert "3 rows" in out.stderr and "<cell>:3: UserWarning: gaps" in out.stderr


def test_U07_a_child_process_is_heard_in_order(run):
    out = run("import subprocess\nprint('parent')\nsubprocess.run(['/bin/echo', 'child'])\nprint('end')")
    assert out.stdout == "parent\nchild\nend\n"


def test_U08_finished_lines_survive_a_kill(run):
    out = run("print('step 1')\nprint('step 2')\nwhile True: pass", timeout=1)
    assert out.ok is None and out.stdout == "step 1\nstep 2\n"
    assert out.status == signal.SIGKILL


def test_U09_input_fails_at_once_and_says_why(run):
    out = run("name = input('Which region? ')\nprint(name)")
    assert (out.error["type"], out.error["line"]) == ("EOFError", 1)
    assert "stdin" in out.error["message"]


def test_R64_stdin_and_the_debugger_end_at_once(run):
    assert run("import sys\nprint(repr(sys.stdin.read()))").stdout == "''\n"
    out = run("x = 1\nbreakpoint()\nx = 2", timeout=20)
    assert out.ok is False and out.error["line"] == 2


def test_U10_exit_zero_is_success(run):
    for leave in ("import sys; sys.exit(0)", "exit()", "quit()", "raise SystemExit", "import sys; sys.exit(False)"):
        out = run(f"print('written')\n{leave}\nprint('unreachable')")
        assert out.ok and out.stdout == "written\n" and not out.all("E"), leave


def test_U11_an_exit_with_a_message_fails_with_it(run):
    out = run("raise SystemExit('no rows for 2026')")
    assert (out.error["type"], out.error["message"]) == ("SystemExit", "no rows for 2026")
    assert run("import sys\nsys.exit(3)").error["message"] == "3"


def test_U16_a_pool_of_processes_finds_functions_of_main(run):
    out = run(
        "from multiprocessing import Pool\ndef square(n):\n    return n * n\n"
        "if __name__ == '__main__':\n    with Pool(2) as pool:\n        print(pool.map(square, range(6)))\n"
    )
    assert out.stdout == "[0, 1, 4, 9, 16, 25]\n", out.stderr


def test_U17_await_at_top_level(run):
    out = run("import asyncio\nasync def f(n):\n    return n * 2\nawait asyncio.gather(f(1), f(2))")
    assert out.main["text/plain"] == "[2, 4]"


def test_a_script_may_call_asyncio_run_itself(run):
    assert run("import asyncio\nasync def f():\n    return 3\nprint(asyncio.run(f()))").stdout == "3\n"


def test_D99_a_mark_is_taken_off_once_by_the_controller(run):
    assert run("\ufeffprint(1)").error["type"] == "SyntaxError"


def test_U21_windows_line_ends(run):
    out = run('a = 1\r\nif a:\r\n    print("one")\r\nprint("""x\r\ny""")\r\n')
    assert out.stdout == "one\nx\ny\n"


def test_U44_pickle_and_source_behave_as_in_a_notebook(run):
    out = run(
        "import pickle, inspect\nfrom dataclasses import dataclass\n@dataclass\nclass Row:\n    n: int\n"
        "def vat(x):\n    return x * 2\n"
        "r = pickle.loads(pickle.dumps(Row(2)))\nprint(r, type(r) is Row)\n"
        "print(inspect.getsource(vat).splitlines()[1].strip())\nprint('n: int' in inspect.getsource(Row))"
    )
    assert out.stdout == "Row(n=2) True\nreturn x * 2\nTrue\n"


def test_a_thread_that_is_no_daemon_finishes(run):
    out = run(
        "import threading, time\ndef f():\n    time.sleep(0.2)\n    print('late')\nthreading.Thread(target=f).start()"
    )
    assert out.ok and out.stdout == "late\n"


def test_an_executor_that_nobody_shuts_down_ends_with_its_work_done(run):
    outcome = run(
        "import concurrent.futures, time\n"
        "threads = concurrent.futures.ThreadPoolExecutor(2)\n"
        "threads.submit(lambda: time.sleep(0.2) or print('late'))\n"
        "processes = concurrent.futures.ProcessPoolExecutor(2)\n"
        "print(processes.submit(abs, -7).result())"
    )
    assert outcome.ok and sorted(outcome.stdout.split()) == ["7", "late"]


def test_a_forked_process_does_not_speak_for_its_parent(run):
    out = run(
        "import os\npid = os.fork()\nif pid == 0:\n    print('child')\n    1 / 0\nos.waitpid(pid, 0)\nprint('parent')\n7"
    )
    assert out.ok and out.stdout == "child\nparent\n" and "ZeroDivisionError" in out.stderr
    assert out.main["text/plain"] == "7" and not out.all("E")


def test_env_and_out_dir_are_there(run):
    out = run(
        "import os\nprint(os.environ['A'], os.getcwd() == out_dir)\nopen('x.txt', 'w').write('数据')", env={"A": "b"}
    )
    assert out.stdout == "b True\n"
