"""Figures of pyplot, returned without savefig: each once, sharp, nothing cut.

plt.show() sends and closes what is open; what is open when the code ends is
sent then. A figure is drawn once, at 150 dpi or more, and encoded from the
canvas; only when something sticks out of it is it drawn again on a larger one.
A picture that is saved has 150 dpi or more, too, unless the code says otherwise.
"""

from __future__ import annotations

import contextlib
import functools
import io
import math
import os
import struct
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import matplotlib.figure
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import _text_helpers
from matplotlib._pylab_helpers import Gcf
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.registry import BackendFilter, backend_registry
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from . import chartdata

DPI = 150
PIXELS = 24_000_000  # a figure above this is drawn with fewer dots per inch
PICTURES = frozenset(("png", "jpg", "jpeg", "webp", "tif", "tiff", "gif"))
PAD = 0.1  # inches around what sticks out
NOTEBOOK = frozenset(("inline", "ipympl", "notebook", "widget"))  # backends that come with a notebook


class Capture:
    """What one run drew and what of it has been sent; a session's cells share one."""

    def __init__(self) -> None:
        self._sent: weakref.WeakKeyDictionary[Figure, int] = weakref.WeakKeyDictionary()  # checksum of the PNG
        self._last: Figure | None = None  # shown and closed; a savefig after show() means this one

    def begin(self, publish: Callable[[dict[str, Any], bool], None]) -> None:
        """A program begins, whose values publish sends."""
        self._publish = publish
        self.shown: weakref.WeakSet[Figure] = weakref.WeakSet()  # by this program
        self.count = 0
        self.missing: dict[str, None] = {}
        self.notes: list[tuple[str, dict[str, str]]] = []

    def show_open(self) -> None:
        """Sends every open figure that did not go out as it is; closes them all."""
        self._show_and_close(_open())

    def leave(self, ok: bool) -> None:
        """A cell ends. Figures it drew are sent and closed, or only closed when it failed.

        One that is open and bare stays: the next cell draws on it. One that was
        closed is sent again when a later cell has changed it.
        """
        closing = [figure for figure in _open() if not _bare(figure)]
        if ok:
            for figure in list(self._sent):
                if figure.stale and figure not in closing:
                    self.show(figure, again=False)
            self._show_and_close(closing)
            return
        for figure in closing:
            plt.close(figure)

    def _show_and_close(self, figures: list[Figure]) -> None:
        for figure in figures:
            self.show(figure, again=False)
        for figure in figures:
            plt.close(figure)
        if figures:
            self._last = figures[-1]

    def show(self, figure: Figure, again: bool = True, main: bool = False) -> None:
        """Sends one figure; without again only when it looks different since."""
        if not figure.axes and not figure.texts and not figure.images:
            return
        before = self._sent.get(figure)
        if not again and before is not None and not figure.stale:
            return
        data = bundle(figure)
        if again or before != self._sent.get(figure):
            self._publish(data, main)

    def sent(self, figure: Figure, picture: bytes) -> None:
        """Remembers how the figure went out."""
        figure.stale = False
        self._sent[figure] = zlib.crc32(picture)
        self.shown.add(figure)
        self.count += 1


def _open() -> list[Figure]:
    return [manager.canvas.figure for manager in Gcf.get_all_fig_managers()]


def _bare(figure: Figure) -> bool:
    """Whether nothing is drawn yet, on axes or without."""
    if figure.texts or figure.images or figure.lines or figure.patches or figure._suptitle:  # type: ignore[attr-defined]
        return False
    return all(not ax.has_data() and not ax.texts and not ax.tables and not ax.get_title() for ax in figure.axes)


_capture: list[Capture] = []


def begin(capture: Capture) -> None:
    """Makes capture the one that plt.show and drawing report to."""
    _capture[:] = [capture]


def install() -> None:
    """Hooks pyplot, once, in the zygote: before any code runs."""
    matplotlib.use("agg")
    matplotlib.use = _unless_shown(matplotlib.use)
    plt.switch_backend = _unless_shown(plt.switch_backend)
    plain_savefig, plain_print = plt.savefig, FigureCanvasAgg.print_figure

    def show(*args: Any, **kwargs: Any) -> None:
        if _capture:
            _capture[0].show_open()

    @functools.wraps(plain_savefig)
    def savefig(*args: Any, **kwargs: Any) -> Any:
        last = _capture[0]._last if _capture else None
        if last is not None and not Gcf.get_all_fig_managers():
            return last.savefig(*args, **kwargs)
        return plain_savefig(*args, **kwargs)

    def show_one(self: Figure, warn: bool = True) -> None:
        if _capture:
            _capture[0].show(self)

    @functools.wraps(plain_print)
    def print_figure(self: Any, filename: Any, dpi: Any = None, *args: Any, **kwargs: Any) -> Any:
        dpi = _saved_dpi(self.figure, filename, dpi, args[2] if len(args) > 2 else kwargs.get("format"))
        done = plain_print(self, filename, dpi, *args, **kwargs)
        if _capture and kwargs.get("bbox_inches") is None and matplotlib.rcParams["savefig.bbox"] is None:
            with _as_saved(self.figure, dpi):
                chartdata.note_cut(self.figure, self.figure._get_renderer(), _note)
        return done

    show.__doc__, show_one.__doc__ = plt.show.__doc__, Figure.show.__doc__
    show.__module__ = plt.__name__
    plt.show, plt.savefig = show, savefig
    Figure.show = show_one  # type: ignore[method-assign]
    matplotlib.backend_bases.FigureCanvasBase.print_figure = print_figure  # type: ignore[method-assign]
    _text_helpers.warn_on_missing_glyph = _missing  # type: ignore[assignment]


def _unless_shown(plain: Callable[..., None]) -> Callable[..., None]:
    """Chooses a backend, unless it is one that shows figures by itself: nobody looks."""
    windows = frozenset(backend_registry.list_builtin(BackendFilter.INTERACTIVE))  # type: ignore[no-untyped-call]

    @functools.wraps(plain)
    def choose(*args: Any, **kwargs: Any) -> None:
        name = args[0] if args else kwargs.get("backend", kwargs.get("newbackend"))
        if type(name) is str:
            key = name.lower()
            if key in windows or key in NOTEBOOK or key.startswith("module://"):
                _note("backend_ignored", {"name": name[:200]})
                return
        plain(*args, **kwargs)

    return choose


def _saved_dpi(figure: Figure, file: Any, dpi: Any, form: str | None) -> Any:
    """The resolution in which a figure is saved: where the code leaves a picture's to
    matplotlib, it is as sharp as one that comes back by itself."""
    if dpi not in (None, "figure") or (dpi is None and matplotlib.rcParams["savefig.dpi"] != "figure"):
        return dpi
    suffix = os.path.splitext(file)[1][1:] if isinstance(file, str | os.PathLike) else ""
    if (form or suffix or matplotlib.rcParams["savefig.format"]).lower() not in PICTURES:
        return dpi
    width, height = figure.get_size_inches()
    return max(figure.dpi, min(DPI, math.sqrt(PIXELS / max(width * height, 1e-6))))


@contextlib.contextmanager
def _as_saved(figure: Figure, dpi: float | str | None) -> Iterator[None]:
    """The figure in the resolution it was saved in: drawing left the labels at its pixels."""
    now = figure.dpi
    given = matplotlib.rcParams["savefig.dpi"] if dpi is None else dpi
    figure._set_dpi(now if given == "figure" else given, forward=False)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        figure._set_dpi(now, forward=False)  # type: ignore[attr-defined]


def _missing(codepoint: Any, *_: Any) -> None:
    """Instead of a warning on stderr: the characters are told once, at the end."""
    if _capture and len(_capture[0].missing) < 200:
        _capture[0].missing[chr(int(codepoint))] = None


def _note(code: str, args: dict[str, str]) -> None:
    if _capture and (code, args) not in _capture[0].notes:
        _capture[0].notes.append((code, args))


def bundle(figure: Figure) -> dict[str, Any]:
    """The figure as PNG and as data, with what is wrong with it noted."""
    with _sharp(figure) as agg:
        agg.draw()
        picture = _png(figure, agg)
        data = chartdata.describe(figure)
        if _capture:
            capture = _capture[0]
            chartdata.note_layout(figure, agg.get_renderer(), capture.count + 1, _note)
    if _capture:
        capture.sent(figure, picture)  # last: looking at labels makes a figure stale
    return {"image/png": picture, "text/plain": repr(figure), "application/json": data}


@contextlib.contextmanager
def _sharp(figure: Figure) -> Iterator[Any]:
    """The figure's Agg canvas, at 150 dpi or more but of bounded size."""
    width, height = figure.get_size_inches()
    before, dpi = figure.dpi, max(DPI, figure.dpi)
    if width * height * dpi * dpi > PIXELS:
        dpi = math.sqrt(PIXELS / (width * height))
    canvas = figure.canvas
    try:
        figure._set_dpi(dpi, forward=False)  # type: ignore[attr-defined]
        yield canvas if type(canvas) is FigureCanvasAgg else FigureCanvasAgg(figure)
    finally:
        figure._set_dpi(before, forward=False)  # type: ignore[attr-defined]
        figure.set_canvas(canvas)


def _png(figure: Figure, agg: Any) -> bytes:
    """The drawn figure as PNG, with everything it shows."""
    pixels = np.asarray(agg.buffer_rgba())
    bounds = None
    if _touches_edge(pixels) or _label_outside(figure):
        bounds = _sticking_out(figure, agg)
    if bounds is None:
        return encode(pixels)
    out = io.BytesIO()
    agg.print_figure(out, format="png", dpi=figure.dpi, bbox_inches=bounds, pil_kwargs={"compress_level": 1})
    return out.getvalue()


def _touches_edge(pixels: Any) -> bool:
    """Whether anything is drawn on the outermost pixels: it may go on outside.

    Asking every artist for its extent instead costs a third of the drawing.
    """
    corner = pixels[0, 0]
    edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    return any(bool((edge != corner).any()) for edge in edges)


def _label_outside(figure: Figure) -> bool:
    """Whether a title or label lies wholly outside, where no edge pixel tells."""
    edge = figure.bbox
    labels = [text for text in (figure._suptitle, figure._supxlabel, figure._supylabel) if text]  # type: ignore[attr-defined]
    for ax in figure.axes[:50]:
        labels += [ax.title, ax._left_title, ax._right_title, ax.xaxis.label, ax.yaxis.label]  # type: ignore[attr-defined]
    for label in labels:
        if label.get_text() and label.get_visible():
            box = label.get_window_extent()
            if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 or box.y1 > edge.y1:
                return True
    return False


def _sticking_out(figure: Figure, agg: Any) -> Bbox | None:
    """The bounds in inches that hold everything, when the canvas does not."""
    tight = figure.get_tightbbox(agg.get_renderer())
    width, height = figure.get_size_inches()
    edge = 1 / figure.dpi
    if not np.all(np.isfinite(tight.extents)):
        return None
    if tight.x0 >= -edge and tight.y0 >= -edge and tight.x1 <= width + edge and tight.y1 <= height + edge:
        return None
    most = 4 * max(width, height)  # text far outside must not make a picture of gigabytes
    return Bbox.from_extents(
        max(min(0.0, tight.x0 - PAD), -most),
        max(min(0.0, tight.y0 - PAD), -most),
        min(max(width, tight.x1 + PAD), width + most),
        min(max(height, tight.y1 + PAD), height + most),
    )


def encode(pixels: Any) -> bytes:
    """RGBA pixels as PNG: each row less the row above it, fast compression.

    As small as what Pillow writes, in less than half the time: it tries five
    filters on every row.
    """
    height, width, _ = pixels.shape
    flat = pixels.reshape(height, 4 * width)
    rows = np.full((height, 1 + 4 * width), 2, dtype=np.uint8)  # 2 = filter "up"
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    dots = round(DPI / 0.0254)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", dots, dots, 1)),
            _chunk(b"IDAT", zlib.compress(rows.data, 1)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def is_drawing(value: Any, depth: int = 0) -> bool:
    """Whether a value is only what a plotting call hands back: axes, artists, lists of them."""
    kind = type(value)
    module = kind.__module__ or ""
    if module.startswith("matplotlib"):
        return True
    if module.startswith("seaborn"):
        return isinstance(getattr(value, "figure", None), Figure)
    if depth > 2:
        return False
    if kind in (list, tuple) and 0 < len(value) <= 1000:
        return any(is_drawing(item, depth + 1) for item in value)
    if kind is dict and 0 < len(value) <= 1000:
        return any(is_drawing(item, depth + 1) for item in value.values())
    if issubclass(kind, np.ndarray) and value.dtype == object and 0 < value.size <= 1000:
        return all(is_drawing(item, depth + 1) for item in value.flat)
    if kind.__module__.startswith("pandas") and kind.__name__ == "Series" and value.dtype == object:
        return 0 < len(value) <= 1000 and all(is_drawing(item, depth + 1) for item in value)
    return False


def any_open() -> bool:
    """Whether pyplot holds a figure that would be sent."""
    return any(manager.canvas.figure.axes for manager in Gcf.get_all_fig_managers())


def end() -> None:
    """Forgets the run that begin named."""
    _capture.clear()
