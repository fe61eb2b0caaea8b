"""Values on their way out: a bundle of MIME types per value, bounded.

IPython's own display(), HTML, Image and the like are what the code imports;
they end here, in the formatter and the publisher of a shell core that has
neither history nor kernel (see core).
"""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring_ascii as _encode
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from . import figures, tabular, values

COUNT = 100  # values of one run
TYPES = 64  # of one value: the protocol ends a run at more
BYTES = 8 << 20  # of one value
TOTAL = 48 << 20  # of all values: the protocol ends a run at 64 MiB

_METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
    "_repr_javascript_": "application/javascript",
    "_repr_pdf_": "application/pdf",
}


class Publisher:
    """Sends values and counts them. One per run."""

    def __init__(self, send: Callable[[str, Any], None]) -> None:
        self._send = send
        self._count = 0
        self._bytes = 0
        self.dropped = 0

    def show(self, value: Any, main: bool = False) -> None:
        """Sends a value in all its representations."""
        self.publish(bundle(value), main)

    def publish(self, data: dict[str, Any], main: bool = False) -> None:
        """Sends a ready bundle, cleaned; drops it past the limits."""
        clean = {kind: _content(kind, content) for kind, content in data.items() if type(kind) is str}
        size = sum(_size(kind) + _size(content) for kind, content in clean.items())
        if self._count >= COUNT or len(clean) > TYPES or size > BYTES or self._bytes + size > TOTAL:
            self.dropped += 1
            return
        self._count += 1
        self._bytes += size
        self._send("V", {"is_main_result": main, "data": clean})


def bundle(value: Any) -> dict[str, Any]:
    """Every representation a value has, text/plain always among them."""
    kind = type(value)
    if kind in (int, float, str, bool, bytes, list, dict, tuple, set):
        return {"text/plain": values.text(value)}
    if issubclass(kind, (pd.DataFrame, pd.Series)):  # isinstance would ask the value itself
        try:
            return tabular.bundle(value)
        except BaseException as failure:  # a broken subclass still has a repr
            values.let_through(failure)
            return {"text/plain": values.text(value)}
    if issubclass(kind, Figure):
        return figures.bundle(value)
    data: dict[str, Any] = {}
    if not issubclass(kind, type):
        data.update(_from_methods(value, kind))
    data.setdefault("text/plain", values.text(value))
    return data


def _from_methods(value: Any, kind: type) -> dict[str, Any]:
    """What _repr_mimebundle_ and the _repr_*_ methods of its class give."""
    data: dict[str, Any] = {}
    whole = getattr(kind, "_repr_mimebundle_", None)
    if callable(whole):
        try:
            given = whole(value, include=None, exclude=None)
            given = given[0] if type(given) is tuple else given
            data.update(given or {})
        except BaseException as failure:
            values.let_through(failure)
            data.clear()
    for name, mime in _METHODS.items():
        method = None if mime in data else getattr(kind, name, None)
        if not callable(method):
            continue
        try:
            given = method(value)
        except BaseException as failure:
            values.let_through(failure)
            continue
        if given is None:
            continue
        data[mime] = given[0] if type(given) is tuple and given else given
    return data


def _content(kind: str, content: Any) -> Any:
    if isinstance(content, (bytes, bytearray, memoryview)):
        raw = bytes(content)
        textual = kind.startswith("text/") or kind == "image/svg+xml"
        return raw.decode("utf-8", "replace") if textual else values.binary(raw)
    if kind == "application/json" or kind.endswith("+json"):
        return values.json(content)
    if isinstance(content, str):
        return values.cut(content, values.TEXT_BYTES) if kind == "text/plain" else values.utf8(content)
    return values.json(content)


def _size(content: Any) -> int:
    """About how many bytes the content is as JSON in ASCII, never fewer."""
    if type(content) is str:
        return len(_encode(content)) if len(content) > 1000 else 6 * len(content)
    if type(content) is dict:
        return sum(6 * len(key) + _size(item) + 4 for key, item in content.items())
    if type(content) is list:
        return sum(_size(item) + 1 for item in content)
    return 24
