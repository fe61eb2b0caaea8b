"""Plain facts about a program's text and about a value; pure functions."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

SUMS = frozenset(("sum", "mean", "average", "cumsum", "std", "var"))
AGGREGATES = SUMS | frozenset(
    "agg aggregate groupby median describe pivot_table corr min max count value_counts nlargest nsmallest "
    "quantile resample rolling prod crosstab transform plot bar".split()
)
_MISSING = frozenset(
    "dropna fillna isna isnull notna notnull interpolate ffill bfill skipna dropna_ SimpleImputer nan_to_num".split()
)
_DROPS = frozenset("drop head tail nlargest nsmallest query isin contains startswith match iloc skipfooter".split())
_IDENTIFIER = re.compile(
    r"(?i)(?:^|[_\s.-])(?:id|uuid|guid|zip|zipcode|postcode|phone|mobile|tel|ssn|iban|sku)$|(?<=[a-z])(?:Id|ID)$|"
    r"(?:编号|单号|订单号|工号|学号|电话|手机|手机号|手机号码|身份证|身份证号|邮编|卡号|账号|编码)$"
)
_TOTAL = frozenset(
    "total totals grand total|sum|subtotal|all|合计|总计|总和|小计|总额|gesamt|summe|insgesamt|totaux|totale".replace(
        "total totals grand total", "total|totals|grand total"
    ).split("|")
)


@dataclass
class Facts:
    """What the program's text says."""

    words: set[str] = field(default_factory=set)  # string constants, attributes, names
    aggregates: bool = False
    summed: dict[str, None] = field(default_factory=dict)  # columns that are summed or averaged
    printed: dict[str, None] = field(default_factory=dict)  # names inside print(...)
    handles_missing: bool = False
    drops_rows: bool = False
    rebinds_df: bool = False


def read(tree: ast.AST) -> Facts:
    """The facts of a syntax tree."""
    said = Facts()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is str:
            said.words.add(node.value)
        elif isinstance(node, ast.Attribute):
            _attribute(node, said)
        elif isinstance(node, ast.Name):
            said.words.add(node.id)
        elif isinstance(node, ast.keyword) and node.arg in ("dropna", "skipna", "skipfooter"):
            said.handles_missing = True
        elif isinstance(node, ast.Call):
            _call(node, said)
        elif isinstance(node, ast.Assign):
            _assign(node, said)
        elif isinstance(node, ast.Slice | ast.Compare):
            said.drops_rows = True
    return said


def _attribute(node: ast.Attribute, said: Facts) -> None:
    said.words.add(node.attr)
    said.aggregates |= node.attr in AGGREGATES
    said.handles_missing |= node.attr in _MISSING
    said.drops_rows |= node.attr in _DROPS


def _call(node: ast.Call, said: Facts) -> None:
    function = node.func
    if isinstance(function, ast.Name):
        said.aggregates |= function.id in ("sum", "min", "max")
        if function.id == "print":
            inside = (part for argument in node.args for part in ast.walk(argument))
            said.printed.update((part.id, None) for part in inside if isinstance(part, ast.Name))
        return
    if not isinstance(function, ast.Attribute):
        return
    if function.attr in SUMS:
        for name in _selected(function.value):
            said.summed[name] = None
    if function.attr in ("agg", "aggregate"):
        for argument in node.args:
            if isinstance(argument, ast.Dict):
                for key, how in zip(argument.keys, argument.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(how, ast.Constant) and how.value in SUMS:
                        said.summed[str(key.value)] = None


def _selected(node: ast.expr) -> list[str]:
    """The columns in df["a"], df[["a", "b"]], df.groupby(…)["a"], df.a."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if not isinstance(node, ast.Subscript):
        return []
    index = node.slice
    parts = index.elts if isinstance(index, ast.List | ast.Tuple) else [index]
    return [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) is str]


def _assign(node: ast.Assign, said: Facts) -> None:
    if any(isinstance(target, ast.Name) and target.id == "df" for target in node.targets):
        said.rebinds_df |= not any(isinstance(part, ast.Name) and part.id == "df" for part in ast.walk(node.value))


def names_identifier(name: str) -> bool:
    """Whether a column's name says that its numbers only name things."""
    return _IDENTIFIER.search(name.strip()) is not None


def names_total(label: object) -> bool:
    """Whether a cell says that its row is the total of others."""
    return type(label) is str and label.strip().strip(":：").casefold() in _TOTAL


def total_row(frame: pd.DataFrame) -> tuple[str, str] | None:
    """A row labelled as the total of the others that really is: label and column.

    Looked for in the first and the last three rows only: that is where totals stand.
    """
    count = len(frame)
    if count < 3:
        return None
    for at in range(len(frame.columns)):
        column = frame.iloc[:, at]
        if column.dtype.kind not in "OUT" and not isinstance(column.dtype, pd.StringDtype):
            continue
        held = column.array
        for row in dict.fromkeys((count - 1, count - 2, count - 3, 0)):
            label = held[row]
            if names_total(label):
                summed = _sums_up(frame, row)
                if summed is not None:
                    return label, summed
    return None


def _sums_up(frame: pd.DataFrame, row: int) -> str | None:
    for at in range(len(frame.columns)):
        column = frame.iloc[:, at]
        if column.dtype.kind not in "iuf":
            continue
        numbers = column.to_numpy(dtype=float)
        whole, rest = numbers[row], np.nansum(np.delete(numbers, row))
        if math.isfinite(whole) and whole != 0 and math.isclose(whole, rest, rel_tol=1e-6, abs_tol=0.005):
            return str(frame.columns[at])
    return None


def not_finite(value: Any) -> str:
    """ "nan", "inf" or "-inf" when the value is or holds an answer that is no number."""
    if isinstance(value, float | np.floating):
        return "" if math.isfinite(value) else str(float(value))
    if isinstance(value, pd.Series):
        value = value.to_frame()
    if not isinstance(value, pd.DataFrame) or not len(value):
        return ""
    for at in range(min(len(value.columns), 200)):
        column = value.iloc[:, at]
        if column.dtype.kind != "f":
            continue
        numbers = column.to_numpy(dtype=float)
        if np.isinf(numbers).any():
            return "inf" if (numbers == np.inf).any() else "-inf"
        if np.isnan(numbers).all():
            return "nan"
    return ""


def is_empty(value: Any) -> bool:
    """Whether a result is a table or array without rows."""
    kinds = (pd.DataFrame, pd.Series, pd.Index, np.ndarray)
    return issubclass(type(value), kinds) and value.ndim > 0 and len(value) == 0
