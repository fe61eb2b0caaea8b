"""Values: the last expression, display(), tables. M12."""

import base64
import json


def test_the_last_expression_is_the_main_result(run):
    assert run("x = 5\nx + 1").main == {"text/plain": "6"}
    assert run("x = 5\nx + 1;").all("V") == []
    assert run("x = 5\nx + 1  # ; no").main == {"text/plain": "6"}
    assert run("'销售额';").all("V") == []
    assert run("None").all("V") == []
    assert run("").ok


def test_a_future_import_holds_for_the_last_expression_too(run):
    assert run("from __future__ import annotations\ndef f(a: nowhere): pass\nf.__annotations__").ok


def test_U32_a_series_has_text_html_and_data(run):
    out = run("df.groupby('r')['v'].sum()", data={"s.csv": b"r,v\nN,1.5\nS,2\nN,3\n"})
    assert "N    4.5" in out.main["text/plain"] and "<table" in out.main["text/html"]
    data = out.main["application/json"]
    assert data["columns"] == ["v"] and data["index"] == ["N", "S"] and data["rows"] == [[4.5], [2.0]]
    assert data["index_names"] == ["r"] and not data["truncated"]


def test_U39_a_wide_table_is_small_and_complete_in_names(run):
    out = run("pd.DataFrame({f'metric_{i:03d}': [i, i + 1] for i in range(200)})")
    text = out.main["text/plain"]
    assert len(text.encode()) <= 20_000 and all(f"metric_{i:03d}" in text for i in range(200))
    assert len(json.dumps(out.main)) < 400_000


def test_U40_zones_decimals_and_infinity_are_strict_json(run):
    out = run(
        "from decimal import Decimal\npd.DataFrame({'when': pd.to_datetime(['2024-03-01 12:00', None])"
        ".tz_localize('Asia/Shanghai'), 'price': [Decimal('1.10'), None], 'rate': [float('nan'), float('inf')],"
        " 'tags': [{'a': 1}, [1, 2]]})"
    )
    (first, second) = out.main["application/json"]["rows"]
    assert first[:3] == ["2024-03-01 12:00:00+08:00", "1.10", None]
    assert second[:3] == [None, None, "Infinity"]
    assert "1.10" in out.main["text/plain"]


def test_U41_group_keys_are_in_the_data(run):
    out = run("t = pd.DataFrame({'key': ['a', 'b', 'a'], 'value': [1, 2, 3]})\ndisplay(t.groupby('key').sum())")
    (value,) = out.all("V")
    assert not value["is_main_result"] and value["data"]["application/json"]["index"] == ["a", "b"]


def test_levels_of_an_index_stay_apart(run):
    out = run("pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'v': [3, 4]}).set_index(['a', 'b'])")
    assert out.main["application/json"]["index"] == [[1, "x"], [2, "y"]]
    assert run("pd.DataFrame({'a': [1]}).T.to_dict()").ok


def test_a_long_table_is_cut_everywhere(run):
    out = run("pd.DataFrame({'a': range(100_000)})")
    data = out.main["application/json"]
    assert len(data["rows"]) == 200 and data["total_rows"] == 100_000 and data["truncated"]
    assert out.main["text/html"].count("<tr") <= 64 and len(out.main["text/plain"]) < 20_000
    widened = run("pd.set_option('display.max_rows', None)\npd.DataFrame({'a': range(100_000)})")
    assert len(widened.main["text/plain"].encode()) <= 20_000 and widened.main["text/html"].count("<tr") <= 64


def test_duplicate_columns_and_odd_names(run):
    out = run("pd.DataFrame([[1, 2, 3]], columns=['a', 'a', ('x', 1)])")
    assert out.main["application/json"]["columns"] == ["a", "a", "x / 1"]


def test_display_from_ipython_and_its_objects(run):
    out = run(
        "from IPython.display import display, HTML, Markdown, JSON, SVG, Image\n"
        "display(HTML('<b>x</b>'), Markdown('**m**'))\ndisplay(JSON({'a': [1, float('nan')]}))\n"
        "display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>'))\n"
        "display({'text/plain': 'raw', 'text/html': '<i>'}, raw=True)\n"
        "import io\nb = io.BytesIO()\nfrom PIL import Image as P\nP.new('RGB', (4, 4)).save(b, 'PNG')\n"
        "display(Image(b.getvalue()))\nP.new('RGB', (5, 4))"
    )
    assert out.ok, out.frames
    assert out.mime("text/html") == ["<b>x</b>", "<i>"] and out.mime("text/markdown") == ["**m**"]
    assert out.mime("application/json") == [{"a": [1, None]}]
    assert out.mime("image/svg+xml")[0].startswith("<svg")
    assert [size[0] for size in out.pngs()] == [4, 5]


def test_own_repr_methods_are_asked(run):
    out = run(
        "class A:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n        return {'text/latex': 'x'}\n"
        "    def _repr_png_(self): return b'raw'\n    def _repr_html_(self): raise ValueError\n"
        "    def __repr__(self): return 'A!'\nA()"
    )
    assert out.main == {"text/latex": "x", "image/png": base64.b64encode(b"raw").decode(), "text/plain": "A!"}


def test_a_value_of_too_many_types_is_dropped_and_said(run):
    code = "class V:\n    def _repr_mimebundle_(self, **_): return {f'x/{i}': '1' for i in range(%d)}\nV()"
    few, many = run(code % 63), run(code % 64)  # and text/plain
    assert len(few.all("V")[0]["data"]) == 64 and "results_dropped" not in few.notices()
    assert many.all("V") == [] and many.notices()["results_dropped"] == {"count": "1"}


def test_values_past_the_limit_are_dropped_and_said(run):
    out = run("for i in range(130): display(i)")
    assert len(out.all("V")) == 100 and out.notices()["results_dropped"] == {"count": "30"}
    big = run("from IPython.display import HTML\ndisplay(HTML('x' * (9 << 20)))\n1")
    assert big.notices()["results_dropped"] == {"count": "1"} and big.main == {"text/plain": "1"}


def test_a_value_is_measured_as_it_is_sent(run):
    for text in ("销" * (2 << 20), chr(0) * (2 << 20)):
        out = run(f"from IPython.display import HTML\ndisplay(HTML({text[0]!r} * {len(text)}))\n1")
        assert out.notices()["results_dropped"] == {"count": "1"} and out.main == {"text/plain": "1"}


def test_O114_hostile_values_are_bounded(run):
    hostile = {
        "10 ** 5000": "<int of about 5001 digits>",
        "[10 ** 5000]": "<int of about 5001 digits>",
        "float('nan')": "nan",
        "list(range(10**6))": "(1000000 in all)",
        "'x' * 10**7": "(10000000 in all)",
        "{i: i for i in range(10**6)}": "(1000000 in all)",
        "b'a' * 10**7": "(10000000 in all)",
        "np.arange(10**6)": "999999",
    }
    for source, part in hostile.items():
        text = run(source).main["text/plain"]
        assert part in text and len(text.encode()) <= 20_000, source
    deep = run("x = []\nfor _ in range(100_000): x = [x]\nx")
    assert deep.ok and len(deep.main["text/plain"]) <= 20_000


def test_O114_a_hostile_class_costs_its_own_text_only(run):
    out = run(
        "class H:\n    def __repr__(self): raise KeyError(1)\n    def __len__(self): raise ValueError\n"
        "    def __eq__(self, o): raise ValueError\n    __class__ = property(lambda s: 1 / 0)\n"
        "    def __getattr__(self, n): raise ZeroDivisionError\nH()"
    )
    assert out.ok and "raised KeyError" in out.main["text/plain"]
    assert run("class R:\n    def __repr__(self): return 5\nR()").ok
    assert run("class S(str): pass\nclass R:\n    def __repr__(self): return S('s' * 10**6)\nR()").ok


def test_deep_json_is_cut_not_refused(run):
    out = run(
        "from IPython.display import JSON\nx = {}\nfor _ in range(1500): x = {'a': x}\ndisplay({'application/json': x}, raw=True)"
    )
    assert out.ok and len(json.dumps(out.mime("application/json"))) < 100_000
