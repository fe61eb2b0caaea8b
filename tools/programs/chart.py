"""make_chart: one chart from a spec, and the numbers behind it."""

import matplotlib.ticker

plt.rcParams["text.parse_math"] = False  # "$5–$10" is a price, "a$_b$" is no formula

MOST_GROUPS, MOST_SERIES, MOST_PANELS, MOST_POINTS = 30, 10, 12, 5000
COMPARE = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def make_chart(spec):
    table = pick(spec)
    panels = [(None, table)]
    if spec.get("facet"):
        names = leading(table[spec["facet"]], MOST_PANELS, "small charts")
        panels = [(name, table[table[spec["facet"]] == name]) for name in names]
    made = [(name, Panel(spec, rows)) for name, rows in panels]
    across = min(3, len(made))
    down = -(-len(made) // across)
    size = (8, 5) if len(made) == 1 else (4.2 * across, 3.2 * down)
    figure, axes = plt.subplots(down, across, figsize=size, squeeze=False, sharey=len(made) > 1, layout="constrained")
    for axis in axes.flat[len(made) :]:
        axis.remove()
    for axis, (name, panel) in zip(axes.flat, made, strict=False):
        panel.draw(axis, figure)
        if name is not None:
            axis.set_title(str(name), fontsize="medium")
    finish(spec, figure, axes.flat[0], made[0][1])
    numbers = [panel.data if name is None else panel.data.assign(**{spec["facet"]: name}) for name, panel in made]
    data = pd.concat(numbers, ignore_index=True)
    if data.empty:
        raise ValueError("no rows are left to draw: look at where, and at missing values")
    data.to_csv(out_dir + "/chart.csv", index=False)
    figure.savefig(out_dir + "/chart.png", dpi=150)
    plt.close(figure)
    return data.head(200)


def pick(spec):
    """The rows that the spec speaks of."""
    table = table_of(spec)
    keep = pd.Series(True, index=table.index)
    for condition in spec.get("where") or []:
        column, how, value = table[condition["column"]], condition["is"], condition.get("value")
        if how in ("missing", "present"):
            keep &= column.isna() == (how == "missing")
        elif how == "in":
            keep &= column.isin(value)
        elif how == "contains":
            keep &= column.astype("string").str.contains(str(value), regex=False, na=False)
        else:
            keep &= getattr(column, COMPARE[how])(pd.Timestamp(value) if dates(column) else value).fillna(False)
    return table[keep]


def table_of(spec):
    """The table; of a large one no more than the columns that are drawn or asked about."""
    if "sources" not in globals():
        return dfs[spec["table"]] if spec.get("table") else df
    named = [spec.get(part) for part in ("x", "y", "value", "series", "facet")]
    named += [condition["column"] for condition in spec.get("where") or []]
    return sources.table(spec.get("table"), [name for name in named if name])


def dates(column):
    return pd.api.types.is_datetime64_any_dtype(column)


def leading(column, most, what):
    """The values that a chart has room for: those with the most rows, in their own order."""
    counts = column.value_counts()
    if len(counts) > most:
        print(f"{most} of {len(counts)} {what} are shown, those with the most rows")
        counts = counts.head(most)
    return sorted(counts.index, key=lambda value: (str(type(value)), value))


def numbers_of(column):
    """Values as numbers; text that is none is left out, and said."""
    if pd.api.types.is_bool_dtype(column):
        return column.astype(float)
    found = pd.to_numeric(column, errors="coerce")
    lost = int((found.isna() & column.notna()).sum())
    if lost == column.notna().sum() > 0:
        raise TypeError(f"column {column.name!r} holds no numbers")
    if lost:
        print(f"{lost} values of {column.name!r} are no numbers and left out")
    return found


class Panel:
    """One set of axes: its rows become numbers, the numbers a drawing."""

    def __init__(self, spec, rows):
        self.spec = spec
        self.kind = spec["kind"]
        self.measure = "rows"
        x = rows[spec["x"]]
        if spec.get("every"):
            x = pd.to_datetime(x).dt.to_period({"day": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}[spec["every"]])
        missing = int(x.isna().sum())
        if missing:
            print(f"{missing} rows have no {spec['x']!r} and are left out")
        self.rows = rows[x.notna()]
        self.x = x[x.notna()]
        self.data = getattr(self, {"bar": "groups", "stacked": "groups", "line": "groups"}.get(self.kind, self.kind))()

    def draw(self, axis, figure):
        if not self.data.empty:
            getattr(self, "draw_" + self.kind)(axis, figure)

    def series(self):
        name = self.spec.get("series")
        if not name:
            return [(None, pd.Series(True, index=self.rows.index))]
        return [(value, self.rows[name] == value) for value in leading(self.rows[name], MOST_SERIES, "series")]

    def value(self):
        """What is added up, and how."""
        if not self.spec.get("y") or self.spec.get("aggregate") == "count":
            return pd.Series(1, index=self.rows.index), "sum"
        how = self.spec.get("aggregate") or "sum"
        self.measure = self.spec["y"] if how in ("sum", "none") else f"{how} of {self.spec['y']}"
        return numbers_of(self.rows[self.spec["y"]]), how

    def groups(self):
        value, how = self.value()
        if how == "none":
            return self.points_in_order(value)
        parts = []
        for name, chosen in self.series():
            part = value[chosen].groupby(self.x[chosen]).agg(how).reset_index()
            part.columns = [self.spec["x"], self.measure]
            if name is not None:
                part[self.spec["series"]] = name
            parts.append(part)
        return self.ordered(pd.concat(parts, ignore_index=True))

    def points_in_order(self, value):
        data = pd.DataFrame({self.spec["x"]: self.x, self.measure: value})
        if self.spec.get("series"):
            data[self.spec["series"]] = self.rows[self.spec["series"]]
        return data.dropna(subset=[self.measure]).sort_values(self.spec["x"], kind="stable")

    def ordered(self, data):
        x, sort = self.spec["x"], self.spec.get("sort") or "x"
        totals = data.groupby(x)[self.measure].sum()
        if sort == "x":
            order = totals.sort_index().index
        else:
            order = totals.sort_values(ascending=sort == "value", kind="stable").index
        most = self.spec.get("limit") or (MOST_GROUPS if self.kind != "line" else len(order))
        if len(order) > most:
            if not self.spec.get("limit") and sort == "x":
                order = [value for value in order if value in set(totals.nlargest(most).index)]
                print(f"{most} of {len(totals)} values of {x!r} are shown, the largest ones")
            order = order[:most]
        place = {value: number for number, value in enumerate(order)}
        data = data[data[x].isin(place)]
        return data.assign(**{x: data[x]}).sort_values(x, key=lambda column: column.map(place), kind="stable")

    def wide(self):
        x, name = self.spec["x"], self.spec.get("series")
        if not name:
            return self.data.set_index(x)[[self.measure]]
        table = self.data.pivot(index=x, columns=name, values=self.measure)
        return table.reindex(self.data[x].drop_duplicates())

    def draw_bar(self, axis, figure, stacked=False):
        table = self.wide()
        table.index = table.index.map(str)
        table.plot.bar(ax=axis, stacked=stacked, legend=bool(self.spec.get("series")), width=0.8)
        self.slant(axis, table.index)

    def draw_stacked(self, axis, figure):
        self.draw_bar(axis, figure, stacked=True)

    def draw_line(self, axis, figure):
        if self.spec.get("aggregate") == "none":
            for name, part in self.data.groupby(self.spec["series"]) if self.spec.get("series") else [(None, self.data)]:
                axis.plot(part[self.spec["x"]], part[self.measure], label=name)
            if self.spec.get("series"):
                axis.legend(title=self.spec["series"])
            return
        table = self.wide()
        if not pd.api.types.is_numeric_dtype(table.index) and not dates(table.index):
            table.index = table.index.map(str)
        table.plot.line(ax=axis, legend=bool(self.spec.get("series")), marker="o" if len(table) <= 40 else None)
        if table.index.dtype.kind not in "Mif":
            self.slant(axis, table.index)

    def slant(self, axis, labels):
        """Turns labels that would run into each other; a Chinese character is two wide."""
        longest = max((sum(2 if ord(letter) > 0x2E7F else 1 for letter in label) for label in labels), default=0)
        crowded = longest * len(labels) > (26 if self.spec.get("facet") else 72)
        axis.tick_params(axis="x", labelrotation=45 if crowded else 0)
        if crowded:
            for label in axis.get_xticklabels():
                label.set_horizontalalignment("right")

    def scatter(self):
        self.measure = self.spec["y"]
        x = self.x if dates(self.x) else numbers_of(self.x)
        data = pd.DataFrame({self.spec["x"]: x, self.measure: numbers_of(self.rows[self.spec["y"]])})
        if self.spec.get("series"):
            data[self.spec["series"]] = self.rows[self.spec["series"]]
        data = data.dropna()
        if len(data) > MOST_POINTS:
            print(f"{MOST_POINTS} of {len(data)} points are drawn, sample: random seed 42")
            data = data.sample(MOST_POINTS, random_state=42)
        return data

    def draw_scatter(self, axis, figure):
        name = self.spec.get("series")
        for value in leading(self.data[name], MOST_SERIES, "series") if name else [None]:
            part = self.data[self.data[name] == value] if name else self.data
            axis.scatter(part[self.spec["x"]], part[self.measure], s=14, alpha=0.7, label=value)
        if name:
            axis.legend(title=name)

    def histogram(self):
        values = numbers_of(self.x).dropna()
        edges = np.histogram_bin_edges(values, bins=self.spec.get("bins") or min(50, max(5, int(len(values) ** 0.5))))
        parts = []
        for name, chosen in self.series():
            counts, _ = np.histogram(values[chosen.reindex(values.index)], bins=edges)
            part = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "rows": counts})
            if name is not None:
                part[self.spec["series"]] = name
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def draw_histogram(self, axis, figure):
        name = self.spec.get("series")
        for value, part in self.data.groupby(name) if name else [(None, self.data)]:
            axis.bar(part["from"], part["rows"], part["to"] - part["from"], align="edge", alpha=0.6 if name else 0.9, label=value)
        if name:
            axis.legend(title=name)

    def box(self):
        values, rows = numbers_of(self.x), []
        self.measure = self.spec["x"]
        for name, chosen in self.series():
            part = values[chosen].dropna()
            if part.empty:
                continue
            low, middle, high = part.quantile([0.25, 0.5, 0.75])
            inside = part[(part >= low - 1.5 * (high - low)) & (part <= high + 1.5 * (high - low))]
            rows.append(
                {
                    self.spec.get("series") or "of": self.spec["x"] if name is None else name,
                    "whislo": inside.min(),
                    "q1": low,
                    "med": middle,
                    "q3": high,
                    "whishi": inside.max(),
                    "outliers": len(part) - len(inside),
                    "rows": len(part),
                }
            )
        return pd.DataFrame(rows)

    def draw_box(self, axis, figure):
        first = self.data.columns[0]
        axis.bxp([dict(row, label=str(row[first])) for row in self.data.to_dict("records")], showfliers=False)

    def heatmap(self):
        across, up = self.spec["x"], self.spec["y"]
        if self.spec.get("value"):
            how = self.spec.get("aggregate") or "mean"
            self.measure = f"{how} of {self.spec['value']}"
            value = numbers_of(self.rows[self.spec["value"]])
        else:
            how, value = "sum", pd.Series(1, index=self.rows.index)
        kept = pd.Series(True, index=self.rows.index)
        groups = [self.x, self.rows[up]]
        for group in groups:
            kept &= group.isin(leading(group, self.spec.get("limit") or 40, f"values of {group.name!r}"))
        data = value[kept].groupby([group[kept] for group in groups]).agg(how).reset_index()
        data.columns = [across, up, self.measure]
        return data

    def draw_heatmap(self, axis, figure):
        table = self.data.pivot(index=self.spec["y"], columns=self.spec["x"], values=self.measure)
        image = axis.imshow(table, aspect="auto", cmap="viridis")
        axis.set_xticks(range(len(table.columns)), [str(value) for value in table.columns])
        axis.set_yticks(range(len(table.index)), [str(value) for value in table.index])
        self.slant(axis, [str(value) for value in table.columns])
        figure.colorbar(image, ax=axis, label=self.measure)


def finish(spec, figure, axis, panel):
    if spec.get("title"):
        figure.suptitle(spec["title"])
    below = "" if panel.kind == "box" else spec["x"]
    beside = {"heatmap": spec.get("y"), "histogram": "rows"}.get(panel.kind, panel.measure)
    for one in figure.axes:
        if one.get_label() == "<colorbar>":
            continue
        for side in "xy":
            if isinstance(getattr(one, side + "axis").get_major_formatter(), matplotlib.ticker.ScalarFormatter):
                one.ticklabel_format(axis=side, style="plain", useOffset=False)
        one.set_xlabel(spec.get("x_label") or below)
        one.set_ylabel((spec.get("y_label") or beside or "") if one.get_subplotspec().is_first_col() else "")
