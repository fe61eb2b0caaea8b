"""M8, M9, M15: every fact of the case files, read from expected.json."""

from __future__ import annotations

import datetime
import importlib.util
import json
import pathlib
from typing import Any

import pandas as pd
import pytest

from _cellwall import tables

CASES = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "cases"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CASES / "expected.json").read_text("utf-8"))
FILES = [n for n in EXPECTED if not n.endswith(".py")]


def load(name: str) -> tuple[pd.DataFrame, dict[str, Any], dict[str, pd.DataFrame]]:
    loaded = tables.load(str(CASES / name), name, 10_000, "random")
    stem = name.rsplit(".", 1)[0]
    description: dict[str, Any] = json.loads(json.dumps(loaded.description, allow_nan=False))
    return loaded.frames[stem], description, loaded.frames


def plain(value: object) -> object:
    """A cell as expected.json writes it."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    return value.item() if hasattr(value, "item") else value


@pytest.mark.parametrize("name", FILES)
def test_M8_description_says_what_the_file_is(name: str) -> None:
    want = EXPECTED[name]
    _, got, _ = load(name)
    assert got["rows"] == got["rows_given"] == want["rows"]
    assert got["sample"] == "all"
    for key in ("format", "encoding", "delimiter", "decimal", "thousands", "sheets", "header_row"):
        if key in want:
            assert got[key] == want[key], key
    described = [c["name"] for c in got["columns"]]
    if want.get("order_of_columns") == "free":
        assert sorted(described) == sorted(want["columns"])
    else:
        assert described == want["columns"]
    missing = {c["name"]: c["missing"] for c in got["columns"]}
    for column, n in want["nulls"].items():
        assert missing[column] == n, column


@pytest.mark.parametrize("name", FILES)
def test_M8_frame_gives_the_answers(name: str) -> None:
    want = EXPECTED[name]
    df, _, _ = load(name)
    for column, total in want.get("sums", {}).items():
        assert float(df[column].sum()) == pytest.approx(total, abs=1e-6), column
    for column, mean in want.get("means", {}).items():
        assert df[column].mean() == pytest.approx(mean, abs=1e-6)
    for column, counts in want.get("counts", {}).items():
        assert df[column].value_counts().to_dict() == counts
    for column, rows in want.get("null_rows", {}).items():
        assert df.index[df[column].isna()].tolist() == rows
    if "first" in want:
        assert [plain(v) for v in df.iloc[0]] == want["first"]
    for column, (low, high) in want.get("range", {}).items():
        when = pd.to_datetime(df[column])
        if when.dt.tz is None:
            assert [when.min().date().isoformat(), when.max().date().isoformat()] == [low, high]
        else:
            assert [when.min().isoformat(), when.max().isoformat()] == [low, high]


def test_M8_penguins_mean_by_species() -> None:
    df, _, _ = load("penguins.csv")
    got = df.groupby("species")["body_mass_g"].mean().round(6).to_dict()
    assert got == EXPECTED["penguins.csv"]["mean_body_mass_g_by_species"]


@pytest.mark.parametrize("name", ["orders_zh.csv", "orders_zh_gb18030.csv"])
def test_M8_orders_by_region_and_year(name: str) -> None:
    want = EXPECTED[name]
    df, _, _ = load(name)
    assert df.groupby("区域")["销售额"].sum().round(2).to_dict() == want["销售额_by_区域"]
    assert df.groupby("区域")["利润"].sum().round(2).to_dict() == want["利润_by_区域"]
    assert df.groupby("区域")["销售额"].sum().idxmax() == want["highest_销售额_区域"]
    by_year = df.groupby(pd.to_datetime(df["订单日期"]).dt.year.astype(str))["销售额"].sum().round(2)
    assert by_year.to_dict() == want["销售额_by_year"]
    assert int((df["利润"] < 0).sum()) == want["loss_orders"]


def test_M8_german_numbers_and_dates_are_numbers_and_dates() -> None:
    df, got, _ = load("umsatz_latin1.csv")
    assert df["Umsatz"].dtype == "float64"
    assert df["Datum"].dtype.kind == "M"
    assert int((df["Umsatz"] < 0).sum()) == EXPECTED["umsatz_latin1.csv"]["negative_Umsatz"]
    assert any("Umsatz" in w for w in got["warnings"])


def test_M8_workbook_gives_every_sheet() -> None:
    df, got, frames = load("stores.xlsx")
    want = EXPECTED["stores.xlsx"]["targets"]
    assert list(frames) == ["stores", "stores/销售", "stores/targets"]
    assert frames["stores/销售"] is df
    assert list(frames["stores/targets"].columns) == want["columns"]
    assert frames["stores/targets"]["target"].sum() == want["sums"]["target"]
    (table,) = got["tables"]
    assert (table["name"], table["rows"], table["header_row"]) == ("stores/targets", want["rows"], 1)
    assert df["达成率"].dtype == "float64"
    assert df["开业日期"].dtype.kind == "M"


def test_M8_nested_objects_stay_and_are_told() -> None:
    df, got, _ = load("events.jsonl")
    want = EXPECTED["events.jsonl"]
    assert [c["name"] for c in got["columns"] if c.get("kind") == "nested"] == want["nested"]
    assert sum(u["vip"] for u in df["user"]) == want["vip_events"]


def test_M8_parquet_keeps_zone_decimals_and_lists() -> None:
    df, got, _ = load("sensors.parquet")
    want = EXPECTED["sensors.parquet"]
    assert str(df["at"].dt.tz) == "Asia/Shanghai"
    assert str(df["fee"].sum()) == "25175.01"
    assert sum(not tags for tags in df["tags"]) == want["rows_with_empty_tags"]
    assert got["columns"][0]["dtype"] == "datetime64[us, Asia/Shanghai]"


def test_M8_line_breaks_inside_quotes_end_no_row() -> None:
    df, _, _ = load("tickets_utf16.tsv")
    assert int(df["text"].str.contains("\n").sum()) == EXPECTED["tickets_utf16.tsv"]["rows_with_line_break_in_text"]


def test_M8_mixed_numbers_stay_text_and_are_told() -> None:
    df, got, _ = load("mixed_numbers.csv")
    with pytest.raises(TypeError):
        df["amount"].mean()
    column = next(c for c in got["columns"] if c["name"] == "amount")
    assert column["kind"] == "mixed"
    (warning,) = [w for w in got["warnings"] if "amount" in w]
    kinds = EXPECTED["mixed_numbers.csv"]["amount_kinds"]
    assert f"plain numbers {kinds['plain']} " in warning
    assert f"commas for thousands {kinds['thousands']} " in warning
    assert f"percentages {kinds['percent']} " in warning


def test_M8_mixed_dates_stay_text_and_are_told() -> None:
    df, got, _ = load("mixed_dates.csv")
    with pytest.raises(ValueError):
        pd.to_datetime(df["date"])
    assert next(c for c in got["columns"] if c["name"] == "date")["kind"] == "mixed"
    assert any('"date" is mixed' in w for w in got["warnings"])


def test_M15_identifiers_lose_no_digit() -> None:
    df, got, _ = load("contacts_personal.csv")
    want = EXPECTED["contacts_personal.csv"]
    for column in want["digits_that_do_not_fit_a_float"]:
        digits = {**want["must_mask"], **want["must_keep"]}[column]
        assert df[column].tolist() == digits
        assert next(c for c in got["columns"] if c["name"] == column)["kind"] == "identifier"
    assert df["phone"].astype(str).tolist() == want["must_mask"]["phone"]
    assert df["email"].tolist() == want["must_mask"]["email"]


@pytest.mark.parametrize("policy", ["random", "head"])
def test_M9_above_the_row_limit_a_sample_is_given_and_told(tmp_path: pathlib.Path, policy: str) -> None:
    spec = importlib.util.spec_from_file_location("make_large", CASES / "make_large.py")
    assert spec and spec.loader
    large = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(large)
    large.write(str(tmp_path / "large.csv"))
    want = EXPECTED["make_large.py"]
    loaded = tables.load(str(tmp_path / "large.csv"), "large.csv", want["rows_given"], policy)
    df, got = loaded.frames["large"], loaded.description
    assert (got["rows"], got["rows_given"]) == (want["true_rows"], want["rows_given"])
    assert len(df) == want["rows_given"]
    assert list(df.columns) == want["columns"]
    whole = pd.read_csv(tmp_path / "large.csv")
    assert whole["id"].sum() == want["whole_file"]["sums"]["id"]
    if policy == "head":
        assert got["sample"] == "head"
        assert [df["id"].iloc[0], df["id"].iloc[-1]] == want["ids_of_the_head"]
        expected = whole.head(want["rows_given"])
    else:
        assert got["sample"] == "random seed 42"
        expected = whole.sample(want["rows_given"], random_state=42).sort_index()
    pd.testing.assert_frame_equal(df, expected.reset_index(drop=True))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("区域,销售额\n华东,10\n华南,20\n华北,30\n合计,60\n", True),
        ("Total:,60\nregion,v\nNorth,10\n", False),
        ("region,v\nTotal,60\nNorth,10\nSouth,50\n", True),
        ("region,v\nNorth,10\nSouth,50\ntotal,61\n", False),
        ("region,v\nNorth,10\nSouth,50\nTotal Energies,60\n", False),
        ("region,v\nNorth,10\nSouth,50\nEast,60\n", False),
    ],
)
def test_M11_a_total_among_its_parts_is_told_of_the_file(tmp_path: pathlib.Path, text: str, told: bool) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    said = tables.load(str(tmp_path / "t.csv"), "t.csv", 10_000, "random").description.get("warnings", [])
    assert any("is the total of the others" in one for one in said) == told, said  # type: ignore[attr-defined]
