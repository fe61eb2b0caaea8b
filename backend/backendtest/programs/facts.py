# Computes from df and dfs what EXPECT, the entry of expected.json, asks for, and
# prints it under the same names. An analysis, not a checker: it compares nothing.
import datetime
import json
import re


def plain(value):
    """A value as JSON would write it in expected.json."""
    if value is None or value != value:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, (pd.Timestamp, datetime.datetime)):
        midnight = value.tzinfo is None and (value.hour, value.minute, value.second) == (0, 0, 0)
        return value.date().isoformat() if midnight else value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"\d\d\.\d\d\.\d{4}", value):
        return datetime.datetime.strptime(value, "%d.%m.%Y").date().isoformat()
    return value if isinstance(value, (str, int, float, bool)) else float(value)


def ends(series):
    days = series.map(plain)
    return [days.min(), days.max()]


def by(column, key):
    return df.groupby(key)[column].sum().to_dict()


def field(value, name):
    return (json.loads(value) if isinstance(value, str) else value)[name]


def amount_kind(value):
    text = "" if value is None or value != value else str(value).strip()
    if text in ("", "N/A", "-", "暂无"):
        return "missing"
    return "percent" if text.endswith("%") else "thousands" if "," in text else "plain"


def amount(value):
    kind, text = amount_kind(value), str(value).replace(",", "")
    return 0.0 if kind == "missing" else float(text.rstrip("%")) / (100 if kind == "percent" else 1)


FORMS = {
    "iso": (r"\d{4}-\d\d-\d\d", "%Y-%m-%d"), "slash_ymd": (r"\d{4}/\d+/\d+", "%Y/%m/%d"),
    "zh": (r"\d{4}年\d+月\d+日", "%Y年%m月%d日"), "dmy_text": (r"\d+ [A-Z][a-z]{2} \d{4}", "%d %b %Y"),
    "stamp": (r"\d{4}-\d\d-\d\dT.*", "%Y-%m-%dT%H:%M:%S%z"), "excel_serial": (r"\d{5}", None),
}


def date_of(text):
    for form, (pattern, shape) in FORMS.items():
        if re.fullmatch(pattern, str(text)):
            try:
                if shape is None:
                    return form, datetime.date(1899, 12, 30) + datetime.timedelta(days=int(text))
                return form, datetime.datetime.strptime(text, shape).date()
            except ValueError:
                break
    return "broken", None


def date_forms():
    return pd.Series([date_of(d)[0] for d in df["date"]]).value_counts().to_dict()


def cleaned():
    good = [d for _, d in map(date_of, df["date"]) if d]
    return {"good": len(good), "broken": len(df) - len(good), "first": min(good).isoformat(), "last": max(good).isoformat()}


def targets():
    frame = dfs["stores/targets"]
    return {"rows": len(frame), "columns": list(frame.columns), "sums": {"target": plain(frame["target"].sum())}}


def whole_file():
    # Only the head or a sample is df; the whole is read from the file.
    frame = pd.read_csv("/workspace/input/large.csv")
    asked = EXPECT["whole_file"]
    return {"nulls": {c: int(frame[c].isna().sum()) for c in asked["nulls"]},
            "sums": {c: plain(frame[c].sum()) for c in asked["sums"]},
            "counts": {c: frame[c].value_counts().to_dict() for c in asked["counts"]}}


answers = {
    "rows": lambda: len(df),
    "rows_given": lambda: len(df),
    "columns": lambda: [str(c) for c in df.columns],
    "nulls": lambda: {c: int(df[c].isna().sum()) for c in EXPECT["nulls"]},
    "null_rows": lambda: {c: [int(i) for i in df.index[df[c].isna()]] for c in EXPECT["null_rows"]},
    "sums": lambda: {c: plain(df[c].sum()) for c in EXPECT["sums"]},
    "means": lambda: {c: plain(df[c].mean()) for c in EXPECT["means"]},
    "counts": lambda: {c: df[c].value_counts().to_dict() for c in EXPECT["counts"]},
    "range": lambda: {c: ends(df[c]) for c in EXPECT["range"]},
    "first": lambda: [plain(v) for v in df.iloc[0]],
    "mean_body_mass_g_by_species": lambda: df.groupby("species")["body_mass_g"].mean().to_dict(),
    "销售额_by_区域": lambda: by("销售额", "区域"),
    "利润_by_区域": lambda: by("利润", "区域"),
    "highest_销售额_区域": lambda: df.groupby("区域")["销售额"].sum().idxmax(),
    "销售额_by_year": lambda: by("销售额", df["订单日期"].map(plain).str[:4]),
    "loss_orders": lambda: int((df["利润"] < 0).sum()),
    "negative_Umsatz": lambda: int((df["Umsatz"] < 0).sum()),
    "targets": targets,
    "vip_events": lambda: sum(bool(field(u, "vip")) for u in df["user"]),
    "rows_with_empty_tags": lambda: sum(len(t) == 0 for t in df["tags"]),
    "rows_with_line_break_in_text": lambda: int(df["text"].str.contains("\n").sum()),
    "amount_kinds": lambda: df["amount"].map(amount_kind).value_counts().to_dict(),
    "amount_sum_when_cleaned": lambda: sum(map(amount, df["amount"])),
    "date_forms": date_forms,
    "dates_when_cleaned": cleaned,
    "whole_file": whole_file,
    "must_mask": lambda: {c: [str(v) for v in df[c]] for c in EXPECT["must_mask"]},
    "must_keep": lambda: {c: [str(v) for v in df[c]] for c in EXPECT["must_keep"]},
}
print(json.dumps({name: answers[name]() for name in EXPECT if name in answers}, default=plain))
