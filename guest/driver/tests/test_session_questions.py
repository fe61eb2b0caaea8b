"""What the host asks about a session's names, answered without running a cell's code: M54."""

import json

import pytest

MAKE = """
import math, os.path as p
df = pd.DataFrame({'amount': [1, 2], 'city name': ['x', 'y'], 'kind': ['a', 'b']})
s = df['amount']
a = np.zeros((3, 4, 5))
numbers = [1, 2, 3]
table = {'key one': 1, 'key two': 2}
text = 'hello'
_hidden = 1
def work(): pass
class Loud:
    plain = 1
    def method(self): pass
    @property
    def told(self): print('RUN')
    def __getattr__(self, name): print('RUN'); raise AttributeError
    def __dir__(self): print('RUN'); return ['x']
    def __repr__(self): print('RUN'); return ''
    def __len__(self): print('RUN'); return 3
    def __sizeof__(self): print('RUN'); return 3
loud = Loud()
loud.own = 1
class Frame(pd.DataFrame):
    @property
    def shape(self): print('RUN')
frame = Frame()
"""


@pytest.fixture
def made(live):
    live.say(MAKE)
    yield live
    assert live.say("1") == ""  # nothing ran for an answer


def test_M40_variables_are_told_in_the_order_of_their_birth(made):
    found = {v["name"]: (v["type"], v["shape"]) for v in made.ask("variables")["variables"]}
    assert list(found) == "df s a numbers table text work Loud loud Frame frame".split()
    assert (
        found["df"] == ("DataFrame", "2 × 3")
        and found["s"] == ("Series", "2")
        and found["a"] == ("ndarray", "3 × 4 × 5")
    )
    assert found["numbers"] == ("list", "3") and found["table"] == ("dict", "2") and found["text"] == ("str", "")
    assert found["work"] == ("function", "") and found["Loud"] == ("type", "") and found["loud"] == ("Loud", "")
    assert found["frame"] == ("Frame", "")


def test_M40_sizes_are_bytes(made):
    sizes = {v["name"]: v["bytes"] for v in made.ask("variables")["variables"]}
    assert sizes["a"] == 3 * 4 * 5 * 8 and sizes["df"] > 40 and sizes["text"] > 5 and sizes["loud"] == 0


def test_M40_names_that_a_cell_gave_away_anew_are_its_variables(made):
    made.say("out_dir = 5\nplt = 'mine'")
    assert {"out_dir", "plt"} <= {v["name"] for v in made.ask("variables")["variables"]}


def test_M40_answers_are_bounded(made):
    made.say("for i in range(3000): globals()[f'v{i}'] = i\nglobals()['w' * 5000] = globals()['\\ud800'] = 1")
    found = made.ask("variables")["variables"]
    assert len(found) == 1000 and found[-1]["name"] != "v2999" and all(len(v["name"]) <= 110 for v in found)
    assert len(made.ask("complete", "v")["matches"]) == 200
    json.dumps(found).encode("ascii")


COMPLETIONS = {
    "names": ("nu", ["numbers"], 0),
    "names of the given": ("out", ["out_dir"], 0),
    "builtins": ("x = isins", ["isinstance"], 4),
    "keywords": ("nonl", ["nonlocal"], 0),
    "columns as attributes": ("df.amou", ["amount"], 3),
    "methods": ("df.groupb", ["groupby"], 3),
    "accessors": ("s.value_c", ["value_counts"], 2),
    "accessors of accessors": ("df.kind.str.isde", ["isdecimal"], 12),
    "columns as keys": ("df['city", ["city name']"], 4),
    "keys of dictionaries": ('table["key o', ['key one"]'], 7),
    "modules": ("math.flo", ["floor"], 5),
    "modules by another name": ("p.basen", ["basename"], 2),
    "what can be imported": ("import math, os\nimport kiwisolv", ["kiwisolver"], 23),
    "what a module has": ("from math import sin, cosh, tan", ["tan", "tanh"], 28),
    "attributes of objects": ("loud.o", ["own"], 5),
    "methods of objects": ("x = loud.met", ["method"], 9),
    "hidden names": ("_hid", ["_hidden"], 0),
    "after a property": ("loud.told.x", [], 10),
    "nothing": ("", [], 0),
    "unknown": ("nobody.x", [], 7),
    "in a call": ("print(numb", ["numbers"], 6),
    "strings": ("text.uppe", ["upper"], 5),
}


@pytest.mark.parametrize("name", COMPLETIONS)
def test_M40_completion_finds(made, name):
    text, matches, start = COMPLETIONS[name]
    answer = made.ask("complete", text)
    assert (answer["matches"], answer["start"], answer["end"]) == (matches, start, len(text))


def test_M40_completion_looks_at_what_is_before_the_cursor_in_characters(made):
    answer = made.ask("complete", "'中文😀'; numb + 1", 11)
    assert (answer["matches"], answer["start"], answer["end"]) == (["numbers"], 7, 11)


def test_M40_private_names_are_told_when_asked_for_only(made):
    assert not any(m.startswith("_") for m in made.ask("complete", "df.")["matches"])
    assert "__len__" in made.ask("complete", "numbers.__le")["matches"]


FINISHED = {
    "x = 1": True,
    "": True,
    "def f():": False,
    "def f():\n    return 1": False,
    "def f():\n    return 1\n": True,
    "x = [1,": False,
    "'''": False,
    "1 +": True,  # an error now, and after any further line
    "await x": True,
    "%time x": True,
    "for i in x:\n    print(i)": False,
    "class A:\n    @property": False,
}


@pytest.mark.parametrize("text", FINISHED)
def test_M40_a_cell_that_wants_more_lines_is_told(live, text):
    answer = live.ask("finished", text)
    assert answer["finished"] is FINISHED[text], answer
    if text.endswith(":"):
        assert answer["indent"] == "    "


@pytest.mark.parametrize(
    "question",
    [
        ("variables", "", 0),
        ("complete", "x.", 2),
        ("complete", "x[", 900),
        ("finished", "\0", 0),
        ("finished", "(" * 5000, 0),
        ("other", "", 0),
    ],
)
def test_M40_no_question_ends_a_session(live, question):
    live.say("x = 1\nimport builtins\nbuiltins.len = None")
    live.ask(*question)
    assert live.say("print(x)") == "1\n"
