"""Notebook habits: fences, magics, shell commands."""

import pytest


def test_U18_a_fence_comes_off_and_lines_stay(run):
    out = run("\n```python\nvalue = 6 * 7\nprint(value)\n1 / 0\n```\n")
    assert out.stdout == "42\n" and "fence_removed" in out.notices() and out.error["line"] == 5
    assert run("~~~\nprint(1)\n~~~").stdout == "1\n"
    assert run("```\nprint(1)\n```\ntext\n```\nprint(2)\n```").error["type"] == "SyntaxError"
    assert run("print('''\n```\nx\n```\n''')").stdout == "\n```\nx\n```\n\n"


def test_U19_harmless_magics_are_ignored(run):
    out = run(
        "%matplotlib inline\n%load_ext autoreload\n%config InlineBackend.figure_format = 'retina'\nprint(10)\n1/0"
    )
    assert out.stdout == "10\n" and out.error["line"] == 5
    lines = [n["args"]["line"] for n in out.all("N") if n["code"] == "magic_ignored"]
    assert lines[0] == "%matplotlib inline" and len(lines) == 3


@pytest.mark.parametrize(
    "line", ["!pip install prophet", "%pip install prophet", "!conda install x", "x = !pip list", "!!pip install x"]
)
def test_U20_installing_is_answered_with_what_is_there(run, line):
    out = run(f"a = 1\n{line}\nprint('ok')")
    assert out.error["type"] == "NotAvailable" and out.error["line"] == 2 and "ok" not in out.stdout
    assert "pandas" in out.error["message"] and "install" in out.error["message"].lower()
    assert line in out.error["traceback"]


@pytest.mark.parametrize("line", ["!ls -la", "%ls", "%run other.py", "%sql select 1", "df?", "%cd ..", "%who"])
def test_other_commands_are_refused_by_name(run, line):
    out = run(f"a = 1\n{line}\n")
    assert out.error["type"] == "NotAvailable" and out.error["line"] == 2
    assert len(out.error["message"]) < 200 and "nstalled" not in out.error["message"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("df?", "the notebook command df? is not available in this sandbox: write help(df)"),
        ("?df.head", "write help(df.head)"),
        ("df.head??", "write print(inspect.getsource(df.head))"),
        ("%who", "write print(list(globals()))"),
        ("%cd data", "write os.chdir(path)"),
        ("%run other.py", "put the code of that file into the program"),
    ],
)
def test_a_refused_command_says_what_does_it_in_python(run, line, says):
    assert run(line).error["message"].endswith(says)


def test_time_prints_and_runs(run):
    out = run("%%time\nx = 5\nx + 1")
    assert "Wall time" in out.stdout and out.main == {"text/plain": "6"}
    out = run("%time y = 3\nprint(y)")
    assert "Wall time" in out.stdout and out.stdout.endswith("3\n")
    assert run("%%capture\nx = 2\nx").main == {"text/plain": "2"}


def test_cell_magics_of_other_languages_are_refused(run):
    out = run("\n%%bash\nls\n")
    assert out.ok is False and out.error["line"] == 2 and "%%bash" in out.error["message"]


def test_percent_and_exclamation_in_strings_are_not_commands(run):
    assert run("x = '''\n%matplotlib inline\n!ls\n'''\nprint(len(x), 7 % 4, 1 != 2)").stdout == "24 3 True\n"
    out = run("x = '''\n%matplotlib inline\n'''\ny = (")
    assert out.error["type"] == "SyntaxError" and out.error["line"] == 4


def test_exported_notebooks_run(run):
    out = run("get_ipython().run_line_magic('matplotlib', 'inline')\nprint(get_ipython() is not None)")
    assert out.stdout == "True\n"


def test_prompts_pasted_from_a_terminal(run):
    assert run(">>> x = 2\n>>> for i in range(x):\n...     print(i)\n").stdout == "0\n1\n"
