"""A dataset that was written as a template is the same when it is read: M8, M40."""

import json
import os
import warnings
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from _cellwall import inputs, template
from _cellwall.inputs import Loaded

FRAMES = {
    "numbers": pd.DataFrame(
        {"a": [1, 2, 3], "b": [0.5, np.nan, -np.inf], "c": np.array([1, 2, 3], "u1"), "d": [True, False, True]}
    ),
    "text": pd.DataFrame({"s": ["x", None, "中文😀"], "t": ["", "x", "x"], "all": [None, None, None]}).astype(
        {"s": "str", "t": "str", "all": "str"}
    ),
    "times": pd.DataFrame({"t": pd.to_datetime(["2024-01-02", None]), "d": pd.to_timedelta([1, 2], unit="s")}),
    "mixed": pd.DataFrame({"m": pd.Series([1, "x", 2.5, None, True, float("nan"), 10**40], dtype=object)}),
    "objects": pd.DataFrame(
        {
            "o": pd.Series(
                [
                    Decimal("1.10"),
                    b"\x00\xff",
                    date(2024, 2, 29),
                    time(23, 59, 1),
                    timedelta(-1, 5),
                    pd.NaT,
                    pd.NA,
                    "1.10",
                    "\ud800",
                    datetime(2024, 1, 2, 3, tzinfo=timezone(timedelta(hours=8))),
                    pd.Timestamp(1, unit="ns"),
                    pd.Timestamp("2024", tz="UTC"),
                ],
                dtype=object,
            )
        }
    ),
    "nested": pd.DataFrame(
        {
            "l": pd.Series([[1, 2], [1, 2], [], None], dtype=object),
            "d": pd.Series([{"a": [1.5, None]}, {"a": {"b": (True, date(2024, 1, 1))}}, {1: 2}, {}], dtype=object),
        }
    ),
    "categories": pd.DataFrame(
        {
            "c": pd.Categorical(["b", None, "a"], categories=["b", "a", "unused"], ordered=True),
            "n": pd.Categorical([3, 1, 3]),
            "t": pd.Categorical(pd.to_datetime(["2024-01-01", "2024-01-02", None])),
            "o": pd.Categorical(["x", 1, None], categories=pd.Index(["x", 1], dtype=object)),
        }
    ),
    "zones": pd.DataFrame(
        {
            "u": pd.to_datetime(["2024-01-01", None]).tz_localize("UTC"),
            "b": pd.to_datetime(["2024-10-27 00:30", "2024-10-27 01:30"])
            .as_unit("ms")
            .tz_localize("UTC")
            .tz_convert("Europe/Berlin"),
            "f": pd.to_datetime(["2024-01-01", None]).tz_localize(timezone(timedelta(minutes=-90))),
        }
    ),
    "masks": pd.DataFrame(
        {
            "i": pd.array([1, None, 2**62 + 1], dtype="Int64"),
            "u": pd.array([None, 1, 255], dtype="UInt8"),
            "f": pd.array([0.5, None, 1], dtype="Float32"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "s": pd.array(["x", None, "y"], dtype=pd.StringDtype("python", na_value=pd.NA)),
        }
    ),
    "no rows": pd.DataFrame({"a": pd.Series([], dtype="int64"), "s": pd.Series([], dtype="str")}),
    "no columns": pd.DataFrame(index=pd.RangeIndex(3)),
    "names": pd.DataFrame([[1, 2, 3]], columns=pd.Index(["a", "a", 7], dtype=object)),
    "large": pd.DataFrame(
        {"n": np.arange(50_000), "s": pd.Series([f"k{i % 997}" for i in range(50_000)], dtype="str")}
    ),
}


def through(loaded, path):
    template.write(loaded, str(path))
    fd = os.open(path, os.O_RDONLY)
    try:
        return template.read(fd)
    finally:
        os.close(fd)


def same(got, frame):
    """Two frames that no program can tell apart."""
    pd.testing.assert_frame_equal(got, frame, check_exact=True, check_freq=False)
    assert got.columns.dtype == frame.columns.dtype and len(got._mgr.blocks) == len(frame._mgr.blocks)
    assert [str(d) for d in got.dtypes] == [str(d) for d in frame.dtypes]
    for one, other in zip(got.to_numpy(object).flat, frame.to_numpy(object).flat, strict=True):
        assert type(one) is type(other) and repr(one) == repr(other)


@pytest.mark.parametrize("name", FRAMES)
def test_M8_a_template_holds_what_was_parsed(tmp_path, name):
    frame = FRAMES[name]
    got = through(Loaded({"t": frame}, frame, [{"name": "t"}]), tmp_path / "t")
    same(got.frames["t"], frame)
    assert got.first is got.frames["t"] and got.descriptions == [{"name": "t"}]
    for column in range(frame.shape[1]):  # a copy of its own that can be changed
        if len(frame) and frame.iloc[:, column].dtype.kind in "iuf":
            got.first.isetitem(column, got.first.iloc[:, column] + 1)


def test_M8_rows_share_no_value_that_can_be_changed(tmp_path):
    frame = FRAMES["nested"]
    got = through(Loaded({"t": frame}, frame, []), tmp_path / "t").first
    got.l[0].append(3)
    assert got.l[1] == [1, 2] and frame.l[0] == [1, 2]


@pytest.mark.parametrize("columns", [3, 150])
def test_M8_a_wide_frame_is_in_one_piece(tmp_path, columns):
    frame = pd.DataFrame({f"c{i}": np.arange(5.0) for i in range(columns)})
    got = through(Loaded({"t": frame}, frame, []), tmp_path / "t").first
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # pandas warns of columns that were put together one by one
        got["new"] = 1
    assert len(frame._mgr.blocks) == 1


def test_M8_what_one_file_names_twice_is_one_frame(tmp_path):
    one, two = FRAMES["numbers"], FRAMES["text"]
    got = through(Loaded({"f": one, "f/a": one, "f/b": two}, one, []), tmp_path / "t")
    assert list(got.frames) == ["f", "f/a", "f/b"] and got.frames["f"] is got.frames["f/a"] is got.first
    assert got.frames["f/b"].equals(two)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"o": [{1}]}),
        pd.DataFrame({"o": [[object()]]}),
        pd.DataFrame({"a": [1]}, index=["x"]),
        pd.DataFrame({"a": [1]}, index=pd.RangeIndex(0, 1, name="row")),
        pd.DataFrame({("a", "b"): [1]}),
        pd.DataFrame({"a": [1]}, columns=pd.Index(["a"], name="columns")),
        pd.DataFrame({1.5: [1]}),
        pd.DataFrame({"p": pd.period_range("2024-01", periods=1, freq="M")}),
        pd.DataFrame({"i": pd.arrays.IntervalArray.from_breaks([0, 1])}),
        pd.DataFrame(
            {"o": pd.Series([datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin"))], dtype=object)}
        ),
    ],
)
def test_M8_what_a_template_cannot_hold_is_said(tmp_path, frame):
    with pytest.raises(template.Unfit):
        template.write(Loaded({"t": frame}, frame, []), str(tmp_path / "t"))


def damaged(path, change):
    data = path.read_bytes()
    length = int.from_bytes(data[-16:-8], "little")
    header = json.loads(data[-16 - length : -16])
    header = change(header) or header
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(data[: -16 - length] + raw + len(raw).to_bytes(8, "little") + data[-8:])


def column(number):
    return lambda h: h["frames"][0]["columns"][number]


DAMAGES = {
    "no header": lambda h: b" ",
    "no JSON": lambda h: b"{",
    "deep": lambda h: b"[" * 100_000,
    "a list": lambda h: [h],
    "a huge number": lambda h: h["frames"][0].update(rows=10**30),
    "more rows": lambda h: h["frames"][0].update(rows=4),
    "negative rows": lambda h: h["frames"][0].update(rows=-1),
    "rows of another type": lambda h: h["frames"][0].update(rows=True),
    "labels that are lists": lambda h: h["frames"][0].update(labels=[[], []]),
    "fewer labels": lambda h: h["frames"][0].update(labels=["n"]),
    "an object dtype": lambda h: column(0)(h).update(dtype="|O"),
    "a void dtype": lambda h: column(0)(h).update(dtype="V8"),
    "a dtype with fields": lambda h: column(0)(h).update(dtype="i4,i4"),
    "another kind": lambda h: column(1)(h).update(kind="pickle"),
    "a place outside": lambda h: column(0)(h).update(data=[1 << 40, 24]),
    "a place before": lambda h: column(0)(h).update(data=[-8, 24]),
    "a place in the header": lambda h: column(0)(h).update(data=[10_000, 24]),
    "a place that is no number": lambda h: column(0)(h).update(data=["0", 24]),
    "too many texts": lambda h: column(1)(h).update(count=1 << 60),
    "codes outside": lambda h: column(1)(h).update(codes=[column(0)(h)["data"][0], 12]),
    "an unknown first": lambda h: h.update(first="other"),
    "a key without a frame": lambda h: h["keys"].update(x=9),
    "many frames": lambda h: h.update(frames=h["frames"] * 300),
    "columns on each other": lambda h: h["frames"][0].update(columns=[column(0)(h)] * 2),
    "names of another type": lambda h: h["frames"][0].update(label_type="category"),
    "categories of categories": lambda h: column(2)(h).update(known=dict(column(2)(h))),
    "categories twice": lambda h: column(2)(h)["known"].update(kind="mixed"),
    "fewer categories": lambda h: column(2)(h).update(count=1),
    "categories that are no number": lambda h: column(2)(h).update(count=[2]),
    "a zone that is a path": lambda h: column(3)(h).update(zone="zone ../../etc/passwd"),
    "an unknown zone": lambda h: column(3)(h).update(zone="zone Europe/Atlantis"),
    "a zone beyond a day": lambda h: column(3)(h).update(zone="offset 1e9"),
    "a unit that is none": lambda h: column(3)(h).update(unit="O"),
    "a mask of another length": lambda h: column(4)(h).update(mask=[0, 1]),
    "a masked type that is none": lambda h: column(4)(h).update(dtype="category"),
    "a value without a type": lambda h: column(5)(h).update(kind="text2"),
    "mixed values that are text": lambda h: column(1)(h).update(kind="mixed"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_M8_a_damaged_template_is_refused(tmp_path, name):
    frame = pd.DataFrame(
        {
            "n": [70_000, 70_000, 70_000],
            "s": pd.Series(["x", "y", None], dtype="str"),
            "c": pd.Categorical(["a", "b", "a"]),
            "z": pd.to_datetime(["2024", None, "2025"]).tz_localize("UTC"),
            "m": pd.array([1, None, 2], dtype="Int64"),
            "o": pd.Series([1, "x", [1]], dtype=object),
        }
    )
    path = tmp_path / "t"
    template.write(Loaded({"t": frame}, frame, []), str(path))
    damaged(path, lambda header: None)
    with open(path) as file:
        assert template.read(file.fileno()).first.equals(frame)  # the way of damaging damages nothing
    damaged(path, DAMAGES[name])
    with open(path) as file, pytest.raises(template.Unfit):
        template.read(file.fileno())


@pytest.mark.parametrize("name", ["text", "objects", "nested", "categories", "zones", "masks"])
def test_M8_no_bytes_of_a_template_break_who_reads_it(tmp_path, name):
    path = tmp_path / "t"
    frame = FRAMES[name]
    template.write(Loaded({"t": frame}, frame, [{"a": 1}]), str(path))
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for _ in range(200):
        data = bytearray(whole)
        for at in random.integers(0, len(data), 3):
            data[at] = random.integers(0, 256)
        data = data[: random.integers(0, len(data) + 1)] if random.random() < 0.3 else data
        path.write_bytes(data)
        with open(path) as file:
            try:
                template.read(file.fileno())
            except template.Unfit:
                continue


def test_M8_a_run_on_a_template_finds_df_and_is_told_of_it(run, tmp_path, monkeypatch):
    frame = FRAMES["text"]
    monkeypatch.setattr(inputs, "prepared", Loaded({"sales": frame}, frame, [{"name": "sales.csv"}]))
    out = run("print(len(df), list(dfs), dfs['sales'] is df)\ndf['new'] = 1")
    assert out.ok and out.stdout == "3 ['sales'] True\n" and out.all("D") == [[{"name": "sales.csv"}]]
    assert "new" not in frame.columns
