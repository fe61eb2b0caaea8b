"""Programs compiled without a tree mean what they mean with one."""

from __future__ import annotations

from typing import Any

import pytest

from _cellwall import program

WITHOUT_A_TREE = [
    "x = 2\nx + 1\n",
    "x = [1, 2]\nlen(x)  # how many\n\n",
    "'what it is about'\n__doc__",
    "def f():\n    return 3\nf()",
    "from __future__ import annotations\ndef f(a: nowhere): ...\nstr(f.__annotations__)",
    "if 1:\n    y = 4\ny",
    "z = '''\n)'''\nz",
    "import asyncio\nx = await asyncio.sleep(0, 5)\nawait asyncio.sleep(0, x + 1)",
]
WITH_A_TREE = [
    "x = 2\nx + 1;",
    "x = 2\ny = x",
    "x = 2; x",
    "len(\n    [1]\n)",
    "x = '''\nx'''",
    "x = 'a\\n'\nx",
    "x = 1\nif x:\n    x",
    "try:\n    x = 1\nfinally: x",
    "x = 1\n# the end",
    "",
    "# nothing",
]


def _tree_only(text: str, file: str) -> None:
    return None


@pytest.mark.parametrize("text", WITHOUT_A_TREE + WITH_A_TREE)
def test_both_ways_give_the_same(text: str, monkeypatch: pytest.MonkeyPatch):
    def outcome() -> Any:
        names: dict[str, Any] = {"__name__": "__main__"}
        value = program.Program(text, "<cell>").run(names)
        return value, sorted(names), names.get("__doc__")

    assert (program._halves(text, "<cell>") is not None) == (text in WITHOUT_A_TREE)
    either = outcome()
    monkeypatch.setattr(program, "_halves", _tree_only)
    assert outcome() == either


@pytest.mark.parametrize("text", ["x = (\ny", "x = '''\ny", "if x:\ny", "x = 1\n y", "@f\ny", "return 1\ny", "x = 1 +\ny"])
def test_what_is_wrong_is_said_of_the_whole(text: str, monkeypatch: pytest.MonkeyPatch):
    def complaint() -> tuple[Any, ...]:
        with pytest.raises(SyntaxError) as caught:
            program.Program(text, "<cell>")
        return caught.value.args

    either = complaint()
    monkeypatch.setattr(program, "_halves", _tree_only)
    assert complaint() == either


def test_a_failing_last_line_is_named_by_its_number():
    with pytest.raises(ZeroDivisionError) as caught:
        program.Program("x = 1\n\n\nx / 0\n", "<cell>").run({})
    last = caught.tb
    while last.tb_next:
        last = last.tb_next
    assert last.tb_lineno == 4
