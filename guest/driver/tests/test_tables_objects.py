"""M8: JSON, JSON lines, workbooks and Parquet beyond the case files."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import os
import pathlib
from typing import Any

import openpyxl
import pandas as pd
import pytest

from _cellwall import tables
from _cellwall.tables import parquet
from tables_files import Folder, kinds


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Folder:
    return Folder(tmp_path)


def book(*sheets: tuple[str, list[list[Any]]], merge: str = "") -> bytes:
    wb = openpyxl.Workbook()
    wb.remove(wb.active)
    for title, rows in sheets:
        sheet = wb.create_sheet(title)
        for row in rows:
            sheet.append(row)
        if merge:
            sheet.merge_cells(merge)
    out = io.BytesIO()
    wb.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("document", "columns", "rows"),
    [
        ([{"a": 1}, {"b": 2, "a": 3}], ["a", "b"], [[1, None], [3, 2]]),
        ({"a": [1, 2], "b": ["x", "y"]}, ["a", "b"], [[1, "x"], [2, "y"]]),
        ({"n": 2, "data": [{"a": 1}, {"a": 2}]}, ["a"], [[1], [2]]),
        ({"r": {"ok": True, "items": [{"a": 1}]}}, ["a"], [[1]]),
        ({"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": 4}}, ["a", "b"], [[1, 3], [2, 4]]),
        ({"columns": ["a", "b"], "index": [0, 1], "data": [[1, 2], [3, 4]]}, ["a", "b"], [[1, 2], [3, 4]]),
        ({"x": {"v": 1}, "y": {"v": 2}}, ["key", "v"], [["x", 1], ["y", 2]]),
        ([["a", "b"], [1, 2]], ["a", "b"], [[1, 2]]),
        ([[1, 2], [3, 4]], ["column_1", "column_2"], [[1, 2], [3, 4]]),
        ([1, 2], ["value"], [[1], [2]]),
        ({"a": 1, "b": "x"}, ["a", "b"], [[1, "x"]]),
    ],
)
def test_M8_shapes_of_json(folder: Folder, document: Any, columns: list[str], rows: list[list[Any]]) -> None:
    df, got = folder.load("t.json", json.dumps(document))
    assert got["format"] == "json"
    assert list(df.columns) == columns
    assert [[None if pd.isna(v) else v for v in row] for row in df.to_numpy().tolist()] == rows


def test_M8_several_lists_of_a_document_are_several_tables(folder: Folder) -> None:
    text = json.dumps({"users": [], "orders": [{"id": 1}], "items": [{"sku": "a"}, {"sku": "b"}]})
    loaded = tables.load(folder.write("t.json", text), "t.json", 10, "random")
    assert list(loaded.frames) == ["t", "t/orders", "t/items"]
    assert any('"orders", "items"' in w and "users" in w for w in loaded.description["warnings"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_M15_long_numbers_of_json_lose_no_digit(folder: Folder, name: str) -> None:
    rows = [{"card": 6222020000258435661, "n": 1}, {"n": 2}, {"card": 7, "n": 3}]
    text = json.dumps(rows) if name == "t.json" else "\n".join(map(json.dumps, rows))
    df, got = folder.load(name, text)
    assert ["" if pd.isna(v) else v for v in df["card"]] == ["6222020000258435661", "", "7"]
    assert kinds(got)["card"] == "identifier"


def test_M9_json_lines_are_sampled_like_tables(folder: Folder) -> None:
    text = "".join(json.dumps({"i": i, "t": "a\nb"}) + "\n" for i in range(500))
    df, got = folder.load("t.jsonl", text, rows=50)
    whole = pd.DataFrame({"i": range(500)}).sample(50, random_state=42).sort_index()
    assert df["i"].tolist() == whole["i"].tolist()
    assert (got["rows"], got["rows_given"], got["sample"]) == (500, 50, "random seed 42")


def test_M8_mixed_values_of_json_are_told(folder: Folder) -> None:
    _, got = folder.load("t.json", '[{"a":1,"b":true},{"a":"x","b":null}]')
    assert kinds(got)["a"] == "mixed"
    assert any('"a" is mixed' in w for w in got["warnings"])


def test_M8_merged_cells_are_values_of_each_row(folder: Folder) -> None:
    rows = [["region", "shop", "n"], ["North", "a", 1], [None, "b", 2], ["South", "c", 3]]
    df, got = folder.load("t.xlsx", book(("S", rows), merge="A2:A3"))
    assert df["region"].tolist() == ["North", "North", "South"]
    assert any("merged" in w for w in got["warnings"])


def test_M8_types_of_a_workbook(folder: Folder) -> None:
    day, long = datetime.date(2024, 1, 2), 6222020000258435661
    rows = [
        ["day", "card", "code", "n", "gap", "odd", 2024, None, "empty"],
        [day, long, "007", 1, 5, 1, 7, None, None],
        [day, 12, "042", 2.5, None, "x", 8, None, None],
    ]
    df, got = folder.load("t.xlsx", book(("S", rows)))
    assert list(df.columns) == ["day", "card", "code", "n", "gap", "odd", "2024", "empty"]
    assert df["day"].dtype.kind == "M"
    assert df["card"].tolist() == ["6222020000258440000", "12"]  # what the file itself has kept
    assert any('"card"' in w and "15 digits" in w for w in got["warnings"])
    assert df["code"].tolist() == ["007", "042"]
    assert df["n"].dtype == df["gap"].dtype == "float64"
    assert kinds(got)["odd"] == "mixed"


@pytest.mark.parametrize(
    ("rows", "header_row", "columns"),
    [
        ([["Title"], [], ["note", "x"], ["a", "b", "c"], [1, 2, 3], [4, 5, 6]], 4, ["a", "b", "c"]),
        ([[], [], ["a", "b"], [1, 2]], 3, ["a", "b"]),
        ([["only"], ["x"], ["y"]], 1, ["only"]),
        ([[1, 2.5, "x"], [2, 3.5, "y"]], 0, ["column_1", "column_2", "column_3"]),
        ([[None, "Title"], ["a", "b"], ["x", 1], ["y", 2]], 2, ["a", "b"]),
        ([[None, "Title"], [], ["a", "b"], ["x", 1], ["y", 2]], 3, ["a", "b"]),
        ([[None, "a", "b"], [], [0, 1, 2], [1, 3, 4]], 1, ["Unnamed: 0", "a", "b"]),
    ],
)
def test_M8_header_row_of_a_sheet(folder: Folder, rows: list[list[Any]], header_row: int, columns: list[str]) -> None:
    df, got = folder.load("t.xlsx", book(("S", rows)))
    assert got.get("header_row", 0) == header_row
    assert list(df.columns) == columns


@pytest.mark.parametrize("columns", [["a"], ["a", "b"], ["a", "b", "c"], [0], [0, 1, 2, 3]])
@pytest.mark.parametrize("values", [[1, 2, 3], ["x", "y", "z"], ["x", None, "z"]])
@pytest.mark.parametrize("labels", [None, ["k", "l", "m"]])
def test_M8_a_table_that_pandas_wrote_keeps_its_header(
    folder: Folder, columns: list[Any], values: list[Any], labels: list[str] | None
) -> None:
    out = io.BytesIO()
    frame = pd.DataFrame(dict.fromkeys(columns, values), index=labels)
    frame.to_excel(out)
    df, got = folder.load("t.xlsx", out.getvalue())
    assert list(df.columns) == ["Unnamed: 0", *map(str, columns)] and len(df) == 3
    assert got["header_row"] == 1 and "warnings" not in got
    df, got = folder.load("t.csv", frame.to_csv())
    assert list(df.columns) == ["Unnamed: 0", *map(str, columns)] and len(df) == 3


def test_M8_first_sheet_with_rows_is_df_and_empty_ones_are_told(folder: Folder) -> None:
    data = book(("empty", []), ("head", [["a", "b"]]), ("data", [["a", "b"], [1, 2]]))
    loaded = tables.load(folder.write("t.xlsx", data), "t.xlsx", 10, "random")
    assert loaded.description["sheets"] == ["empty", "head", "data"]
    assert loaded.frames["t"] is loaded.frames["t/data"]
    assert loaded.description["rows"] == 1


def test_M8_formulas_without_result_are_told(folder: Folder) -> None:
    _, got = folder.load("t.xlsx", book(("S", [["a", "b"], [1, "=A2*2"], [2, "=A3*2"]])))
    assert any(w.startswith("2 formulas have no saved result") for w in got["warnings"])


@pytest.mark.parametrize("sample", ["random", "head"])
def test_M9_sheets_and_parquet_are_sampled_like_tables(folder: Folder, sample: str) -> None:
    pa, pq = parquet.library("t")
    whole = pd.DataFrame({"i": range(300)})
    want = whole.head(40) if sample == "head" else whole.sample(40, random_state=42).sort_index()
    df, got = folder.load("t.xlsx", book(("S", [["i", "t"], *([i, "x"] for i in range(300))])), 40, sample)
    assert df["i"].tolist() == want["i"].tolist()
    assert (got["rows"], got["rows_given"]) == (300, 40)
    out = io.BytesIO()
    pq.write_table(pa.table({"i": list(range(300))}), out, row_group_size=64)
    df, got = folder.load("t.parquet", out.getvalue(), 40, sample)
    assert df["i"].tolist() == want["i"].tolist()
    assert (got["rows"], got["rows_given"]) == (300, 40)


def test_M8_types_of_parquet(folder: Folder) -> None:
    pa, pq = parquet.library("t")
    day, cents = datetime.date(2024, 1, 2), decimal.Decimal("12345678901234567.89")
    table = pa.table(
        {
            "big": pa.array([2**62 + 1, None], pa.int64()),
            "small": pa.array([1, None], pa.int32()),
            "flag": pa.array([True, None]),
            "day": pa.array([day, None], pa.date32()),
            "when": pa.array([datetime.datetime(2024, 1, 2), None], pa.timestamp("ns", tz="UTC")),
            "cents": pa.array([cents, None], pa.decimal128(38, 2)),
            "map": pa.array([{"a": 1}, None], pa.struct([("a", pa.int64())])),
            "cat": pa.array(["x", None]).dictionary_encode(),
            "text": pa.array(["销", None]),
            "raw": pa.array([b"\xff", None]),
        }
    )
    out = io.BytesIO()
    pq.write_table(table, out)
    df, got = folder.load("t.parquet", out.getvalue())
    assert int(df["big"].iloc[0]) == 2**62 + 1
    assert df["small"].dtype == "float64"
    assert df["day"].dtype.kind == "M"
    assert str(df["when"].dt.tz) == "UTC"
    assert df["cents"].iloc[0] == cents
    assert str(df["cat"].dtype) == "category"
    assert [c["missing"] for c in got["columns"]] == [1] * len(df.columns)
    assert kinds(got)["map"] == "nested"
    json.dumps(got, allow_nan=False)


def test_M8_reading_parquet_leaves_no_thread(folder: Folder) -> None:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            path = str(pathlib.Path(__file__).resolve().parents[3] / "testdata" / "cases" / "sensors.parquet")
            tables.load(path, "sensors.parquet", 100, "random")
            code = 0 if len(os.listdir("/proc/self/task")) == 1 else 2
            code = 3 if {"ARROW_DEFAULT_MEMORY_POOL", "JE_ARROW_MALLOC_CONF"} & os.environ.keys() else code
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
