"""What a checker says of a program that it never runs: M31."""

from __future__ import annotations

import json
import time

import pytest

from _cellwall import outline


def of(text: str) -> dict[str, object]:
    said = outline.outline(text)
    json.dumps(said).encode("ascii")
    assert len(json.dumps(said)) < 2 << 20  # policy.MaxOutline
    return said


def test_M31_a_program_is_told_with_its_lines():
    said = of(
        "import os.path as p, sys\nfrom .pkg import thing as t\nfrom json import loads\n"
        "def f(a=chr(65)):\n    return [p.join(x).upper() for x in a]\nf(open)(1)\n"
    )
    assert said["imports"] == [
        {"module": "os.path", "line": 1, "from": False},
        {"module": "sys", "line": 1, "from": False},
        {"module": "pkg", "line": 2, "from": True},
        {"module": "json", "line": 3, "from": True},
    ]
    assert {name: said["names"][name] for name in ("thing", "loads", "open", "p", "x", "a")} == {
        "thing": 2,
        "loads": 3,
        "open": 6,
        "p": 5,
        "x": 5,
        "a": 5,
    }
    assert said["attributes"] == {"join": 5, "upper": 5}
    assert said["calls"] == {"chr": 4, "p.join": 5, "f": 6}
    assert (said["said"], said["line"], said["cut"]) == ("", 0, False)


@pytest.mark.parametrize(
    "text, hidden",
    [
        (r"x = '\u005f\u005fclass\u005f\u005f'", "__class__"),
        (r"x = '\137\137class\137\137'", "__class__"),
        (r"x = '\N{LOW LINE}_class__'", "__class__"),
        ("x = '__cla' 'ss__'", "__class__"),
        ("x = '__cla' + 'ss__'", "__class__"),
        ("x = a + '__cla' + ('ss' + '__') + b", "__class__"),
        ("x = chr(0x6f) + chr(115)", "os"),
        ("f'{a!r:>{b}}' + 'o' + 's'", "os"),
        ("x = '__class__'", None),  # whoever reads the text sees it
        ("x = 'a' * 2 - 1", None),
        ("x = '\\ud800' + 'y'", r"\ud800y"),
    ],
)
def test_M32_strings_that_hide_their_text_are_told(text, hidden):
    strings = of(text)["strings"]
    assert hidden in strings if hidden else not strings


def test_P22_names_are_those_that_the_compiler_sees():
    assert "open" in of("ｏｐｅｎ('x')")["names"]
    assert "__class__" in of("x.__𝒸lass__")["attributes"]


@pytest.mark.parametrize(
    "text, said, notebook",
    [
        ("x = (", "'(' was never closed (<unknown>, line 1)", False),
        ("a = 1\n  b = 2", "unexpected indent (<unknown>, line 2)", False),
        ("!pip install x", "invalid syntax (<unknown>, line 1)", True),
        ("%time x", "invalid syntax (<unknown>, line 1)", True),
        ("```python\nx = 1\n```", "invalid syntax (<unknown>, line 1)", True),
        ("```python\nx = (\n```", "invalid syntax (<unknown>, line 1)", False),
        ("x = 1\0", "source code string cannot contain null bytes", False),
        ("x = '\ud800'", "'utf-8' codec can't encode", False),
        ("(" * 99_999, "too many nested parentheses (<unknown>, line 1)", False),
        ("-" * 99_999, "too deeply nested", False),
        ("-" * 2_900 + "1", "", False),
        ("lambda:" * 5_000 + "1", "too deeply nested", False),
        ("1" * 5_000, "Exceeds the limit", False),
        ("if a: 1\n" + "elif b: 1\n" * 9_000, "too deeply nested", False),
        ("x = " + "+".join("1" * 40_000), "too deeply nested", False),
        ("f" * 99_999, "", False),
    ],
)
def test_D97_what_no_parser_takes_is_said_and_nothing_more(text, said, notebook):
    found = of(text)
    assert said in found["said"] if said else not found["said"]
    assert found["notebook"] is notebook
    assert len(found["said"]) <= outline.TEXT and (found["line"] >= 1) is bool(said)


@pytest.mark.parametrize(
    "text, cut",
    [
        ("0," * 49_999, False),
        ("\n".join(f"a{n}" for n in range(outline.ENTRIES)), False),
        ("\n".join(f"a{n}" for n in range(outline.ENTRIES + 1)), True),
        ("\n".join(f"import m{n}" for n in range(outline.ENTRIES + 1)), True),
        ("x" * 99_000, False),
        ("+".join(f"'\\x{n % 90 + 33:02x}'" for n in range(900)), False),
    ],
)
def test_D98_large_programs_are_told_within_bounds(text, cut):
    began = time.monotonic()
    said = of(text)
    assert said["cut"] is cut
    assert time.monotonic() - began < 30  # guards against hanging
    for kind in ("names", "attributes", "calls", "strings"):
        assert len(said[kind]) <= outline.ENTRIES
        assert all(len(name.encode()) <= outline.TEXT for name in said[kind])


@pytest.mark.parametrize(
    "text, plain",
    [
        ("x = 1", True),
        ("", True),
        ("await f()", True),
        ("x = '\\d'", True),
        ("f(a for a in b)", True),
        ("x = (", False),
        ("!ls", False),
        ("x\0", False),
        ("x = '\ud800'", False),
        ("(" * 99_999, False),
        ("-" * 99_999, False),
        ("lambda:" * 5_000 + "1", False),
        ("1" * 5_000, False),
        ("def f(a, a): pass", False),  # an outline has the last word
    ],
)
def test_D97_what_is_plain_python_is_said_for_less(text, plain):
    assert outline.parses(text) is plain
    assert not plain or not of(text)["said"]


def test_M31_nothing_of_a_program_runs(capsys):
    outline.parses("print('RUN')\nclass A(metaclass=print): pass")
    of("import sys\nprint('RUN')\nclass A(metaclass=print): pass\n@print\ndef f(): pass\n'\\d'")
    assert capsys.readouterr() == ("", "")


def test_M40_a_live_session_answers_too(live):
    assert live.ask("outline", "import os")["outline"]["imports"][0]["module"] == "os"
