"""What a chart shows, as bounded data, and what is wrong with its layout."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from . import values

POINTS = 100  # of one series
SERIES = 30  # of one axes
AXES = 25  # of one figure
LABELS = 300  # of one axis that are looked at

Note = Callable[[str, dict[str, str]], None]


def describe(figure: Figure) -> dict[str, Any]:
    """Titles, labels and the head of every series. Never fails on odd artists."""
    title = getattr(figure, "_suptitle", None)
    axes = []
    for ax in figure.axes[:AXES]:
        try:
            axes.append(_axes(ax))
        except BaseException:
            axes.append({"title": "", "x_label": "", "y_label": "", "series": []})
    return {"chart": {"title": title.get_text() if title is not None else "", "axes": axes}}


def _axes(ax: Axes) -> dict[str, Any]:
    title = ax.get_title() or ax.get_title(loc="left") or ax.get_title(loc="right")
    return {
        "title": title,
        "x_label": ax.get_xlabel(),
        "y_label": ax.get_ylabel(),
        "x_scale": ax.get_xscale(),
        "y_scale": ax.get_yscale(),
        "series": [*_bars(ax), *_wedges(ax), *_lines(ax), *_points(ax), *_images(ax)][:SERIES],
    }


def _series(kind: str, label: Any, x: Iterable[Any], y: Iterable[Any], total: int) -> dict[str, Any]:
    name = str(label) if label is not None else ""
    return {
        "kind": kind,
        "label": "" if name.startswith("_") else name,
        "x": [values.cell(v, 200) for v in x],
        "y": [values.cell(v, 200) for v in y],
        "points": total,
        "truncated": total > POINTS,
    }


def _lines(ax: Axes) -> list[dict[str, Any]]:
    found = []
    for line in ax.lines[:SERIES]:
        x: Any = line.get_xdata(orig=True)
        y: Any = line.get_ydata(orig=True)
        if np.ndim(x) != 1 or len(x) == 0:
            continue
        names = _periods(ax, x)
        found.append(_series("line", line.get_label(), _head(x) if names is None else names, _head(y), len(x)))
    return found


def _periods(ax: Axes, x: Any) -> list[str] | None:
    """The periods of an axis that pandas drew, which counts them from 1970; None of another."""
    frequency = getattr(ax, "freq", None)  # set by pandas
    if frequency is None or not isinstance(x, np.ndarray) or x.dtype.kind != "i":
        return None
    return [str(period) for period in pd.PeriodIndex.from_ordinals(x[:POINTS], freq=frequency)]


def _head(data: Any) -> list[Any]:
    head = data[:POINTS]
    array = np.asarray(head)
    if np.issubdtype(array.dtype, np.datetime64):
        return [None if s == "NaT" else s for s in np.datetime_as_string(array).tolist()]
    return list(array.tolist())


def _bars(ax: Axes) -> list[dict[str, Any]]:
    found = []
    for container in ax.containers[:SERIES]:
        if not isinstance(container, BarContainer):
            continue
        patches = container.patches[:POINTS]
        flat = container.orientation == "horizontal"
        names = _tick_names(ax.yaxis if flat else ax.xaxis)
        keys, heights = [], []
        for bar in patches:
            middle = bar.get_y() + bar.get_height() / 2 if flat else bar.get_x() + bar.get_width() / 2
            keys.append(names.get(round(middle, 3), float(middle)))
            heights.append(float(bar.get_width() if flat else bar.get_height()))
        x, y = (heights, keys) if flat else (keys, heights)
        found.append(_series("barh" if flat else "bar", container.get_label(), x, y, len(container.patches)))
    return found


def _tick_names(axis: Any) -> dict[float, str]:
    labels = axis.get_ticklabels()[:LABELS]
    texts = [label.get_text() for label in labels]
    return {round(float(at), 3): text for at, text in zip(axis.get_ticklocs(), texts, strict=False) if text}


def _wedges(ax: Axes) -> list[dict[str, Any]]:
    wedges = [patch for patch in ax.patches if isinstance(patch, Wedge)][:POINTS]
    if not wedges:
        return []
    shares = [(wedge.theta2 - wedge.theta1) / 360 for wedge in wedges]
    return [_series("pie", "", [wedge.get_label() for wedge in wedges], shares, len(wedges))]


def _points(ax: Axes) -> list[dict[str, Any]]:
    found = []
    for part in ax.collections[:SERIES]:
        if isinstance(part, PathCollection):
            at = np.ma.filled(part.get_offsets(), np.nan)
            x, y = at[:POINTS, 0].tolist(), at[:POINTS, 1].tolist()
            found.append(_series("scatter", part.get_label(), x, y, len(at)))
        else:
            found.append(_series(type(part).__name__, part.get_label(), [], [], 0))
    return found


def _images(ax: Axes) -> list[dict[str, Any]]:
    found = []
    for image in ax.images[:SERIES]:
        array = image.get_array()
        size = list(array.shape[:2]) if array is not None else []
        found.append(_series("image", image.get_label(), [], size, math.prod(size)))
    return found


def note_layout(figure: Figure, renderer: Any, number: int, note: Note) -> None:
    """Notes an empty chart and labels that lie on each other, as just drawn."""
    shown = [ax for ax in figure.axes if ax.get_visible()]
    if shown and not figure.texts and not any(_has_content(ax) for ax in shown):
        note("empty_chart", {"figure": str(number)})
    for ax in shown[:AXES]:
        if not ax.axison:
            continue
        for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
            if axis.get_visible() and _overlap(axis, renderer, name == "x"):
                note("labels_overlap", {"axis": name})


def _has_content(ax: Axes) -> bool:
    if ax.texts or ax.tables or ax.images or ax.artists or ax.child_axes:
        return True
    if any(np.isfinite(np.ma.filled(_numbers(line.get_ydata(orig=False)), np.nan)).any() for line in ax.lines):
        return True
    for part in ax.collections:
        if not isinstance(part, PathCollection) or np.isfinite(np.ma.filled(part.get_offsets(), np.nan)).any():
            return True
    return any(np.isfinite(patch.get_extents().extents).all() for patch in ax.patches)


def _numbers(data: Any) -> Any:
    try:
        return np.ma.asarray(data, dtype=float)
    except (TypeError, ValueError):
        return np.zeros(1)


def _overlap(axis: Any, renderer: Any, horizontal: bool) -> bool:
    """Whether neighbouring tick labels of an axis lie on each other."""
    labels = [text for text in axis.get_ticklabels()[:LABELS] if text.get_visible() and text.get_text()]
    figure = axis.get_figure(root=True)
    if len(labels) < 2 or _surely_apart(axis, labels, figure, horizontal):
        return False
    inside = [text for text in labels if _in_view(axis, text, horizontal)]
    spans = []
    for text in inside:
        box = text.get_window_extent(renderer)
        turn = math.radians(text.get_rotation() % 180)
        if horizontal and 0.05 < turn < math.pi - 0.05:
            # Slanted text: what counts is the distance across the writing.
            high = min(box.height, box.width) if abs(turn - math.pi / 2) < 0.05 else _line_height(text, figure)
            middle = (box.x0 + box.x1) / 2
            half = high / 2 / math.sin(turn)
            spans.append((middle - half, middle + half))
        elif horizontal:
            spans.append((box.x0, box.x1))
        else:
            spans.append((box.y0, box.y1))
    spans.sort()
    return any(after[0] < before[1] - 1.5 for before, after in itertools.pairwise(spans))


def _surely_apart(axis: Any, labels: list[Any], figure: Any, horizontal: bool) -> bool:
    """Whether the labels would be apart even if every character were wide: cheap to say."""
    at = [text.get_position()[0 if horizontal else 1] for text in labels]
    try:
        places = np.sort(axis.get_transform().transform(np.asarray(at, dtype=float)))
    except (TypeError, ValueError):
        return False
    low, high = sorted(axis.get_transform().transform(np.asarray(axis.get_view_interval(), dtype=float)))
    gaps = np.diff(places)
    if not high > low or not np.isfinite(gaps).all():
        return False
    length = axis.axes.bbox.width if horizontal else axis.axes.bbox.height
    nearest = float(gaps.min()) * length / (high - low)
    em = float(labels[0].get_fontsize()) * float(figure.dpi) / 72
    needed = max(len(text.get_text()) for text in labels) if horizontal else 1.6
    return nearest > needed * em and not any("\n" in text.get_text() for text in labels)


def _line_height(text: Any, figure: Any) -> float:
    lines = 1 + int(text.get_text().count("\n"))
    return float(text.get_fontsize()) * float(figure.dpi) / 72 * lines


def _in_view(axis: Any, text: Any, horizontal: bool) -> bool:
    at = text.get_position()[0 if horizontal else 1]
    low, high = sorted(axis.get_view_interval())
    slack = (high - low) * 1e-6
    return not isinstance(at, (int, float)) or low - slack <= at <= high + slack


def note_cut(figure: Figure, renderer: Any, note: Note) -> None:
    """Notes labels that a picture saved as the code asked has lost at its edge."""
    try:
        edge = figure.bbox
        for ax in figure.axes[:AXES]:
            if not ax.get_visible() or not ax.axison:
                continue
            for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
                texts = [text for text in axis.get_ticklabels()[:LABELS] if _in_view(axis, text, name == "x")]
                for text in (axis.label, *texts):
                    if text.get_visible() and text.get_text() and _outside(text.get_window_extent(renderer), edge):
                        note("labels_cut", {"axis": name})
                        break
    except BaseException:
        return


def _outside(box: Any, edge: Any) -> bool:
    slack = 2.0
    return bool(
        box.x0 < edge.x0 - slack or box.y0 < edge.y0 - slack or box.x1 > edge.x1 + slack or box.y1 > edge.y1 + slack
    )
