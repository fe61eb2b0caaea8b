# ruff: noqa: F821 - the sandbox has df, pd and np there, and the line before this one _columns
_key = np.random.default_rng().bytes(8).hex()


def _text(s):
    whole = pd.api.types.is_float_dtype(s) and (s.dropna() % 1 == 0).all()
    return (s.astype("Int64") if whole else s).astype("string")


def _hash(s):
    t = _text(s)
    h = pd.util.hash_pandas_object(t, index=False, hash_key=_key, categorize=False)
    return h.map("{:016x}".format).astype("string").where(t.notna().to_numpy())


def _some(v):
    local, at, domain = v.rpartition("@")
    if at:
        return local[:1] + "*" * max(len(local) - 1, 1) + at + domain
    keep = 4 if len(v) >= 8 else 1 if len(v) >= 2 else 0
    return "*" * (len(v) - keep) + v[len(v) - keep :]


def _partial(s):
    t = _text(s)
    return t.map(_some, na_action="ignore").astype("string")


_missing = [c for c in _columns if c not in df.columns]
if _missing:
    raise KeyError(_missing[0])
_out = pd.DataFrame(index=df.index)
for _name in df.columns:
    _way = _columns.get(_name, "show")
    if _way == "hide":
        continue
    _s = df[_name]
    if _way == "hash":
        _s = _hash(_s)
    elif _way == "partial":
        _s = _partial(_s)
    elif pd.api.types.infer_dtype(_s, skipna=True).startswith("mixed"):
        _s = _s.astype("string")
    _out[str(_name)] = _s
_out.to_parquet("masked.parquet", index=False)
