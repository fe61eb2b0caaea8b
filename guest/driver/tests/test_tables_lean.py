"""M4: a large file, read in steps or by DuckDB, gives what one that is read at once gives."""

from __future__ import annotations

import gzip
import importlib.util
import pathlib
from typing import Any

import pandas as pd
import pytest

from _cellwall import tables
from _cellwall.inputs import Loaded
from _cellwall.ours import Sources
from _cellwall.tables import lean, views

CASES = pathlib.Path(__file__).parents[3] / "testdata" / "cases"
_MANY = 300
TEXTS: dict[str, str] = {
    "codes": "店,额\n007,1.5\n012,2\n100,3\n",
    "codes beside decimals": "a,b,c\n007,0.5,00\n1,01.5,5\n",
    "a code that is none": "a,b\n007,1\nx,2\n",
    "phones": "tel,n\n13800000001,1\n13900000002,2\n",
    "long numbers": "no,n\n1234567890123456789,1\n2234567890123456789,\n",
    "past 64 bits": "no,n\n123456789012345678901234,1\n5,2\n",
    "gaps": "a,b,c\n1,,x\n,2.5,NA\n3,null,z\n",
    "truth": "a,b\nTrue,TRUE\nFalse,\n",
    "truth and numbers": "a,b\nTrue,1\n5,2\n",
    "late text": "a,b\n" + "1,2\n" * _MANY + "x,3\n",
    "late decimals": "a,b\n" + "1,2\n" * _MANY + "1.5,\n",
    "late truth": "a,b\n" + ",2\n" * _MANY + "True,3\n",
    "no value": "a,b\n,1\n,2\n",
    "infinite": "a,b\ninf,1\n-inf,2\n1e5,3\n",
    "german": "Ort;Wert;Menge\nBonn;1.234,50;1.000\nKöln;2,5;2.000\n",
    "german with a sign": "Ort;Umsatz;Menge\nBonn;1.234,50 €;1.000\nKöln;2,5 €;2.000\n",
    "german with a gap": "Ort;Umsatz;Menge\nBonn;1.234,50;1.000\nKöln;k. A.;2.000\n",
    "points with a sign": "Ort;Umsatz;Menge\nBonn;1.5 €;1.000\nKöln;2.5 €;2.000\n",
    "a part of one": "a;b\n1,5;0.125\n2,5;0.250\n",
    "excel's word": "sep=;\na;b\n1;x,y\n2;z\n",
    "uneven rows": "a,b,c\n1,2,3\n4,5\n6,7\n8,9,1\n4,2\n",
    "german dates": "Tag;Wert\n31.12.2024;1,5\n01.02.2023;\n",
    "年月日": "日,额\n2024年1月2日,1\n2024年12月31日,2\n",
    "slashes": "d,n\n31/12/2024,1\n01/02/2024,2\n",
    "slashes of both": "d,n\n01/02/2024,1\n03/04/2024,2\n",
    "thousands": 'a,b\n"1,234",1\n"5,678",2\n',
    "english": 'a,b\n"1,234.50",1\n"5,678",\n',
    "iso": "d,t\n2024-01-02,2024-01-02 10:00:00\n2024-02-03,2024-01-02 11:00\n",
    "percent": "a,b\n5%,¥3\n6%,¥4\n",
    "mixed": "a,b\n5,x\n暂无,y\n",
    "spaced": "a, b, c\n1, x, 2.5\n2, y, 3\n",
    "padded": "a,b\n 1,2 \n+3, 4\n",
    "quotes": 'a,b\n"x, y",1\n"say ""no""",2\n"two\nlines",3\n',
    "stray quotes": 'a,b\nx"y,1\n"a"b,2\n',
    "open quote": 'a,b\n"x,1\ny,2\n',
    "short rows": "a,b,c\n1,2\n3\n4,5,6\n",
    "wide rows": "a,b\n1,2,3\n4,5\n",
    "first row wide": "a,b\n1,2,3\n4,5,6\n",
    "wide at the end": "a,b\n" + "1,2\n" * _MANY + "1,2,3\n",
    "blank lines": "a,b\n\n1,2\n\n3,4\n\n",
    "blank with spaces": "a,b\n1,2\n   \n3,4\n",
    "windows": "a,b\r\n1,x\r\n2,y\r\n",
    "both ends": "a,b\r\n1,x\n2,y\r\n",
    "old mac": "a,b\r1,x\r2,y\r",
    "title": "销售报表\n\na,b\n1,x\n2,y\n",
    "no header": "1,2.5\n3,4.5\n",
    "one column": "a\n1\n2\n",
    "tabs": "a\tb\n1\tx\n",
    "pipes": "a|b\n1|x\n",
    "no rows": "a,b\n",
    "twins": "a,a,\n1,2,3\n",
    "odd names": 'a"b,select,%\n1,2,3\n',
    "words for missing": "a,b\nN/A,None\nnan,<NA>\n#N/A,x\n",
    "last line open": "a,b\n1,2\n3,4",
}


def whole(path: pathlib.Path) -> dict[str, pd.DataFrame]:
    return tables.load(str(path), path.name, 50_000_000, "random").frames


def opened(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> lean.Large | None:
    monkeypatch.setattr("tempfile.tempdir", str(path.parent))
    return lean.open_large(str(path), path.name, str(path.parent), above=0)


def same(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> lean.Large | None:
    large = opened(path, monkeypatch)
    if large is None:
        return None
    (want,) = whole(path).values()
    pd.testing.assert_frame_equal(large.frame(), want, check_index_type=False)
    assert dict(large.none().dtypes.astype(str)) == dict(want.dtypes.astype(str))
    last = want.columns[-1]
    pd.testing.assert_frame_equal(large.frame([last]), want[[last]], check_index_type=False)
    if HAS_SQL:
        same_in_sql(large, want)
    return large


# Only python-query has it; the second tier runs this file there (scripts/long_suite.py, tables-in-sql).
HAS_SQL = importlib.util.find_spec("duckdb") is not None


def same_in_sql(large: lean.Large, want: pd.DataFrame) -> None:
    def told(sources: Sources, as_whole: bool) -> tuple[bool, Any]:
        import duckdb

        connection = duckdb.connect(":memory:", config={"threads": "1"})
        reads = sources.attach(connection, as_whole)
        answer = connection.sql("SELECT * FROM df")
        return reads, ([str(t) for t in answer.types], answer.fetchall())

    none = large.none()
    reads, got = told(Sources(Loaded({"t": none}, none, [], {"t": large})), False)
    assert reads == views.straight(large)
    assert got == told(Sources(Loaded({"t": want}, want)), True)[1]


# What only the reader that has it all can mend.
AT_ONCE = {"open quote", "wide rows", "first row wide", "wide at the end", "no rows"}


@pytest.mark.parametrize("name", TEXTS)
def test_M4_a_text_is_read_in_steps_as_at_once(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lean, "STEP", 7)
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    assert (same(path, monkeypatch) is None) == (name in AT_ONCE)


@pytest.mark.parametrize("codec", ["gb18030", "utf-16", "utf-8-sig", "gzip"])
def test_M4_a_text_of_another_encoding_is_written_anew(codec: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "门店编号,区域,销售额\n" + "".join(f"{i:03d},华东地区,{i}.5\n" for i in range(50))
    path = tmp_path / "销售*.csv"
    path.write_bytes(gzip.compress(text.encode()) if codec == "gzip" else text.encode(codec))
    large = same(path, monkeypatch)
    assert large and large.columns["门店编号"].sort == "code"


@pytest.mark.parametrize("path", sorted(CASES.glob("*")), ids=lambda p: p.name)
def test_M4_the_cases_are_read_in_steps_as_at_once(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / path.name
    if not path.is_file():
        return
    copy.write_bytes(path.read_bytes())
    try:
        whole(copy)
    except tables.Unreadable:
        assert opened(copy, monkeypatch) is None
        return
    same(copy, monkeypatch)
