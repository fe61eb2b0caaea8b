"""M8: encodings, delimiters, headers, numbers, dates and identifiers of text."""

from __future__ import annotations

import gzip
import pathlib

import pandas as pd
import pytest

from _cellwall import tables
from tables_files import Folder, kinds


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Folder:
    return Folder(tmp_path)


TEXTS = {
    "gb18030": "订单日期,区域,产品,销售额\n2024-01-01,华东,充电宝,822.17\n2024-01-02,北京市海淀区,笔记本电脑,5200\n",
    "big5": "訂單日期,區域,產品,銷售額\n2024-01-01,臺北市,行動電源,822.17\n2024-01-02,高雄市,筆記型電腦,5200\n",
    "shift_jis": "日付,地域,商品名,売上金額\n2024-01-01,東京都,スマートフォン,822.17\n2024-01-02,大阪府,ノート,5200\n",
    "latin-1": "Datum,Ort,Größe,Übung\n2024-01-01,München,weiß,822.17\n2024-01-02,Düsseldorf,groß,5200\n",
    "cp1252": "Datum,Ort,Größe,Preis in €\n2024-01-01,München,„weiß“,822.17\n2024-01-02,Düsseldorf,groß,5200\n",
    "euc_jp": "日付,地域,商品名,売上金額\n2024-01-01,東京都,スマートフォン,822.17\n2024-01-02,大阪府,ノート,5200\n",
    "euc_kr": "주문일자,지역,상품명,매출액\n2024-01-01,서울특별시,스마트폰,822.17\n2024-01-02,부산광역시,노트북,5200\n",
    "cp1251": "Дата,Регион,Товар,Выручка\n2024-01-01,Москва,Смартфон,822.17\n2024-01-02,Казань,Ноутбук,5200\n",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_M8_legacy_encodings_are_detected_and_told(folder: Folder, encoding: str) -> None:
    text = TEXTS[encoding]
    df, got = folder.load("t.csv", text.encode(encoding))
    assert got["encoding"] == encoding
    assert [c["name"] for c in got["columns"]] == text.split("\n")[0].split(",")
    assert df.iloc[0, 1] == text.split("\n")[1].split(",")[1]
    assert df.iloc[:, 3].sum() == pytest.approx(6022.17)
    assert f"encoding guessed: {encoding}" in got["warnings"]


@pytest.mark.parametrize("mark", [True, False])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_M8_unicode_with_and_without_mark(folder: Folder, codec: str, mark: bool, text: str) -> None:
    df, got = folder.load("t.csv", (("\ufeff" if mark else "") + text).encode(codec))
    assert got["encoding"] == ("utf-8" if codec == "utf-8" else "utf-16")
    assert list(df.columns) == text.split("\n")[0].split(",")
    assert df.iloc[1, 1] == text.split("\n")[2].split(",")[1]


def test_M8_utf8_with_a_few_broken_bytes_is_still_utf8(folder: Folder) -> None:
    rows = "区域,销售额\n" + "华东,12\n" * 40
    _, got = folder.load("t.csv", rows.encode() + b"\xff\xfe,13\n")
    assert got["encoding"] == "utf-8"
    assert any("not valid utf-8" in w and "line 42" in w for w in got["warnings"])


def test_M8_late_legacy_bytes_are_found_beyond_the_first_lines(folder: Folder) -> None:
    text = "id,name\n" + "".join(f"{i},ascii\n" for i in range(200_000)) + "200000,北京市海淀区\n"
    df, got = folder.load("t.csv", text.encode("gb18030"), rows=300_000)
    assert got["encoding"] == "gb18030"
    assert df["name"].iloc[-1] == "北京市海淀区"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_M8_delimiters_and_line_ends(folder: Folder, delimiter: str, end: str) -> None:
    lines = [["id", "text", "x"], ["1", '"a, b; c"', "1.5"], ["2", '"line\nbreak"', "2.5"], ["3", '"say ""no"""', "3"]]
    df, got = folder.load("t.csv", end.join(delimiter.join(row) for row in lines) + end)
    assert got["delimiter"] == delimiter
    assert df["text"].tolist() == ["a, b; c", "line\nbreak", 'say "no"']
    assert df["x"].tolist() == [1.5, 2.5, 3.0]
    assert got["rows"] == 3


def test_M8_one_column_of_prose_has_no_delimiter(folder: Folder) -> None:
    df, got = folder.load("t.csv", "comment\nGood, really\nBad\nSo, well, so\nfine\n")
    assert "delimiter" not in got
    assert df["comment"].tolist() == ["Good, really", "Bad", "So, well, so", "fine"]


@pytest.mark.parametrize("first", ["sep=;\r\n", "SEP=;\n", '"sep=;"\n', "\ufeffsep=;\n"])
def test_M8_the_line_that_tells_excel_the_delimiter_is_obeyed(folder: Folder, first: str) -> None:
    df, got = folder.load("t.csv", first + "a;b,c\n1;x,y\n2;z\n")
    assert list(df.columns) == ["a", "b,c"] and df["b,c"].tolist() == ["x,y", "z"]
    assert (got["delimiter"], got["header_row"]) == (";", 2) and "warnings" not in got
    df, _ = folder.load("t.csv", first + "1;2.5\n2;3.5\n")
    assert df.to_numpy().tolist() == [[1, 2.5], [2, 3.5]]
    assert "no rows" in folder.refused("t.csv", first)
    assert list(folder.load("t.csv", "sep=a,b\n1,2\n")[0].columns) == ["sep=a", "b"]


def test_M8_a_few_uneven_rows_keep_the_delimiter_of_the_header(folder: Folder) -> None:
    df, got = folder.load("t.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert list(df.columns) == ["a", "b", "c", "column_4"] and df["a"].tolist() == [1, 4, 6]
    assert any("different numbers of fields" in w for w in got["warnings"])
    df, _ = folder.load("t.csv", "a;b;c;d\n1;2\n4;1;2\n6;7;8;9\n")
    assert df["a"].tolist() == [1, 4, 6] and list(df.columns) == list("abcd")
    for prose in ("Dear Sir, hello\nI, too, am well\nso, now, then, bye\n", "a,b\nno comma here\n1,2,3\nx\n"):
        assert folder.load("t.csv", prose)[0].shape[1] == 1


def test_M8_lines_above_the_header_are_left_out_and_told(folder: Folder) -> None:
    df, got = folder.load("t.csv", "Quarterly report\n\nregion,revenue,cost\nNorth,1,2\nSouth,3,4\n")
    assert list(df.columns) == ["region", "revenue", "cost"]
    assert got["header_row"] == 3
    assert len(df) == 2
    assert any("above the table" in w for w in got["warnings"])


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        ("1,2.5,x\n2,3.5,y\n", ["column_1", "column_2", "column_3"], 2),
        ("2024-01-01,5\n2024-01-02,6\n", ["column_1", "column_2"], 2),
        ("country,2021,2022,2023\nA,1,2,3\nB,4,5,6\n", ["country", "2021", "2022", "2023"], 2),
        ("a,b\nx,y\n", ["a", "b"], 1),
        ("name,note\n", ["name", "note"], 0),
        ("a,a,,b\n1,2,3,4\n", ["a", "a.1", "Unnamed: 2", "b"], 1),
        (" id , name\n1,x\n", ["id", "name"], 1),
    ],
)
def test_M8_header_or_none(folder: Folder, text: str, header: list[str], rows: int) -> None:
    df, got = folder.load("t.csv", text)
    assert list(df.columns) == header
    assert len(df) == rows
    assert any("no header" in w for w in got.get("warnings", [])) == (header[0] == "column_1")


@pytest.mark.parametrize(
    ("text", "column", "values", "decimal", "thousands"),
    [
        ("a;b\n1;1.610,80\n2;428,69\n3;-1.234.567,00\n", "b", [1610.80, 428.69, -1234567.0], ",", "."),
        ("a;b\n1;0,5\n2;12,25\n", "b", [0.5, 12.25], ",", None),
        ("a;b\n1;1,234\n2;2,005\n", "b", [1.234, 2.005], ",", None),
        ('a,b\n1,"1,234"\n2,"2,005"\n', "b", [1234, 2005], None, ","),
        ('a,b\n1,"1,234.50"\n2,999.5\n', "b", [1234.5, 999.5], None, ","),
        ('a,b\n1,"1,234"\n2,\n3,7\n', "b", [1234.0, None, 7.0], None, ","),
        ("a\tb\n1\t1 234,5\n2\t7,5\n", "b", [1234.5, 7.5], ",", " "),
        ("a;b\n1;1.500\n2;2,5\n", "b", [1500.0, 2.5], ",", "."),
    ],
)
def test_M8_numbers_in_other_notations(
    folder: Folder, text: str, column: str, values: list[float | None], decimal: str | None, thousands: str | None
) -> None:
    df, got = folder.load("t.csv", text)
    assert df[column].dtype.kind in "if"
    assert [None if pd.isna(v) else float(v) for v in df[column]] == values
    assert (got.get("decimal"), got.get("thousands")) == (decimal, thousands)
    assert any(f'"{column}"' in w for w in got["warnings"])


def test_M8_thousands_alone_in_a_german_file_are_thousands(folder: Folder) -> None:
    df, got = folder.load("t.csv", "a;b;c\n1,5;1.234;x\n2,5;12.000;y\n")
    assert df["b"].tolist() == [1234, 12000]
    assert got["thousands"] == "."


@pytest.mark.parametrize("money", ["4.898,06 €", "€ 4.898,06", "1.234.567 EUR", "12,5 %", "1.610,80\n2.000;k. A."])
def test_M8_a_number_with_a_sign_shows_the_decimal_mark_too(folder: Folder, money: str) -> None:
    df, got = folder.load("t.csv", f"Stück;Umsatz\n4.500;{money}\n6.500;{money}\n")
    assert df["Stück"].iloc[0] == 4500 and df["Stück"].sum() >= 11000
    assert (got["decimal"], got["thousands"]) == (",", ".")


@pytest.mark.parametrize("money", ["5,00.5 €", "1.5 %", "$1,234.50", "1.5", "0.125", "1.5,0,5"])
def test_M8_a_point_that_others_show_to_be_the_decimal_mark_is_one(folder: Folder, money: str) -> None:
    df, got = folder.load("t.csv", f"Stück;Umsatz\n4.500;{money}\n6.500;{money}\n")
    assert df["Stück"].tolist() == [4.5, 6.5] and "decimal" not in got


def test_M8_a_dot_that_may_be_either_mark_is_told(folder: Folder) -> None:
    for other in ("x", "1,234 €", "7", ""):
        df, got = folder.load("t.csv", f"Stück;Umsatz\n4.500;{other}\n6.500;{other}\n")
        assert df["Stück"].tolist() == [4.5, 6.5]
        assert any('"Stück"' in w and "4.500" in w and "thousands" in w for w in got["warnings"])
    for other in ("0.5", "1.5 %", "1,234.50"):
        _, got = folder.load("t.csv", f"Stück;Umsatz\n4.500;{other}\n6.500;{other}\n")
        assert not any("multiply" in w for w in got["warnings"])
    late = "a;b\n" + "1.500;x\n" * 300 + "1.5;x\n"
    assert not any("multiply" in w for w in folder.load("t.csv", late)[1]["warnings"])
    assert "warnings" not in folder.load("t.csv", "a,b\n1.500,x\n")[1]


@pytest.mark.parametrize("odd", ["12%", "-", "暂无", "1,5", "$5"])
def test_M8_one_odd_value_keeps_a_column_as_text_and_is_told(folder: Folder, odd: str) -> None:
    df, got = folder.load("t.csv", 'a,b\n1,"1,234"\n2,5\n3,6.5\n4,"' + odd + '"\n')
    assert df["b"].tolist() == ["1,234", "5", "6.5", odd]
    assert kinds(got)["b"] == "mixed"
    assert any('"b" is mixed' in w and odd in w for w in got["warnings"])


@pytest.mark.parametrize(
    "values",
    [
        ["007", "042"],
        ["1234567890123456", "22"],
        ["6222020000258435661", "6222020000946078097"],
        ["123456789012345678901234567890", "1"],
        ["13800003380", "13912345678"],
        ["13800003380", ""],
        ["11010119020601053X", "440106190002068451"],
        ["007", ""],
        ["9007199254740993", ""],
    ],
)
def test_M15_identifiers_stay_text(folder: Folder, values: list[str]) -> None:
    df, got = folder.load("t.csv", "n,v\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    assert ["" if pd.isna(v) else v for v in df["v"]] == values
    assert kinds(got)["v"] == "identifier"


@pytest.mark.parametrize("values", [["0", "10"], ["0.5", "00.7"], ["-0", "5"], ["100000000000000", "1"]])
def test_M8_ordinary_numbers_stay_numbers(folder: Folder, values: list[str]) -> None:
    df, _ = folder.load("t.csv", "n,v\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    assert df["v"].dtype.kind in "if"


def test_M8_names_tell_identifiers_too(folder: Folder) -> None:
    _, got = folder.load("t.csv", "id,user_id,orderId,订单编号,grid,paid\n1,2,3,4,5,6\n")
    assert [n for n, k in kinds(got).items() if k == "identifier"] == ["id", "user_id", "orderId", "订单编号"]


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["31.12.2024", "01.01.2025"], "2024-12-31"),
        (["2024年12月31日", "2025年1月1日"], "2024-12-31"),
        (["31/12/2024", "01/01/2025"], "2024-12-31"),
        (["12/31/2024", "01/01/2025"], "2024-12-31"),
    ],
)
def test_M8_dates_that_pandas_would_misread_are_read(folder: Folder, values: list[str], first: str) -> None:
    df, got = folder.load("t.csv", "n,d\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    assert df["d"].iloc[0].date().isoformat() == first
    assert df["d"].iloc[1].date().isoformat() == "2025-01-01"
    assert kinds(got)["d"] == "date"


@pytest.mark.parametrize("value", ["2024-12-31", "2024-12-31 10:30:00", "2024/12/31", "2024-12-31T10:30:00Z"])
def test_M8_dates_that_pandas_reads_stay_text(folder: Folder, value: str) -> None:
    df, got = folder.load("t.csv", f"n,d\n1,{value}\n2,{value}\n")
    assert df["d"].tolist() == [value, value]
    assert kinds(got)["d"] == "date"


def test_M8_dates_that_may_be_two_things_stay_text_and_are_told(folder: Folder) -> None:
    df, got = folder.load("t.csv", "n,d\n1,01/02/2024\n2,03/04/2024\n")
    assert df["d"].tolist() == ["01/02/2024", "03/04/2024"]
    assert any("day/month or month/day" in w for w in got["warnings"])


def test_M8_wider_rows_lose_nothing(folder: Folder) -> None:
    df, got = folder.load("t.csv", "a,b\n1,2\n3,4,5\n6,7\n")
    assert df.iloc[1].tolist() == [3, 4, 5.0]
    assert any("more fields than the header" in w and "row 2" in w for w in got["warnings"])


def test_M8_an_unclosed_quote_loses_nothing(folder: Folder) -> None:
    df, got = folder.load("t.csv", 'a,b\n1,x\n2,"y\n3,z\n')
    assert len(df) == 3
    assert any("never closed" in w for w in got["warnings"])


def test_M8_wider_rows_and_an_unclosed_quote_together(folder: Folder) -> None:
    df, got = folder.load("t.csv", 'a,b\n1,x,9\n2,"y\n3,z\n')
    assert len(df) == 3
    assert len(got["warnings"]) == 2


@pytest.mark.parametrize(
    ("name", "text", "format", "told"),
    [
        ("t.csv", "a\tb\n1\t2\n", "tsv", "the name says csv"),
        ("t.tsv", "a,b\n1,2\n", "csv", "the name says tsv"),
        ("t.xlsx", "a,b\n1,2\n", "csv", "the name says xlsx"),
        ("t.json", "a,b\n1,2\n", "csv", "the name says json"),
        ("t.csv", '[{"a":1}]', "json", "the name says csv"),
        ("t.parquet", '{"a":1}\n{"a":2}\n', "jsonl", "the name says parquet"),
        ("t.txt", "a,b\n1,2\n", "csv", ""),
        ("t", "a,b\n1,2\n", "csv", ""),
    ],
)
def test_M8_content_decides_and_a_wrong_ending_is_told(
    folder: Folder, name: str, text: str, format: str, told: str
) -> None:
    _, got = folder.load(name, text)
    assert got["format"] == format
    assert any(told in w for w in got.get("warnings", [])) == bool(told) or not told


def test_M8_gzip_of_each(folder: Folder) -> None:
    for name, text in (("a.csv.gz", "a,b\n1,2\n"), ("a.json.gz", '[{"a":1,"b":2}]'), ("a.tsv", "a\tb\n1\t2\n")):
        loaded = tables.load(folder.write(name, gzip.compress(text.encode())), name, 10, "random")
        assert list(loaded.frames) == ["a"]
        assert loaded.frames["a"].iloc[0].tolist() == [1, 2]
        told = loaded.description.get("warnings", [])
        assert any("packed with gzip" in w for w in told) == (not name.endswith(".gz"))


def test_keys_of_twins_get_a_number() -> None:
    assert tables.keys(["a.csv", "a.xlsx", "b.tar", "a.csv.gz", "x.json"]) == ["a", "a_2", "b.tar", "a_3", "x"]
