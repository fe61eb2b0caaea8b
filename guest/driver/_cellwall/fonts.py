"""Charts in Chinese, Japanese and Korean whatever font the code names.

Two changes to matplotlib's font manager, made once before any code runs: the
names that generated code likes (SimHei, Microsoft YaHei, PingFang SC …) are
known, and every look-up ends with the installed CJK font as a fallback. Latin
text and the minus sign keep the font they had; only glyphs it lacks come from
the fallback.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import matplotlib
from matplotlib import _mathtext, ft2font, mathtext
from matplotlib import font_manager as manager

# Names of CJK fonts on Windows, macOS, Android and Linux.
NAMES = (
    "SimHei",
    "SimSun",
    "NSimSun",
    "SimKai",
    "KaiTi",
    "FangSong",
    "LiSu",
    "YouYuan",
    "STHeiti",
    "STSong",
    "STKaiti",
    "STFangsong",
    "STXihei",
    "STZhongsong",
    "Microsoft YaHei",
    "Microsoft YaHei UI",
    "Microsoft JhengHei",
    "MingLiU",
    "PMingLiU",
    "DFKai-SB",
    "PingFang SC",
    "PingFang TC",
    "PingFang HK",
    "Heiti SC",
    "Heiti TC",
    "Songti SC",
    "Kaiti SC",
    "Hiragino Sans GB",
    "Hiragino Sans",
    "Hiragino Kaku Gothic Pro",
    "Arial Unicode MS",
    "Noto Sans CJK SC",
    "Noto Sans CJK TC",
    "Noto Sans CJK HK",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Serif CJK SC",
    "Noto Serif CJK TC",
    "Noto Serif CJK JP",
    "Noto Sans SC",
    "Noto Sans TC",
    "Noto Sans JP",
    "Noto Sans KR",
    "Noto Serif SC",
    "Source Han Sans",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "Source Han Sans TC",
    "Source Han Serif SC",
    "Source Han Serif CN",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "AR PL UMing CN",
    "AR PL UKai CN",
    "MS Gothic",
    "MS Mincho",
    "Meiryo",
    "Yu Gothic",
    "Yu Mincho",
    "Malgun Gothic",
    "NanumGothic",
    "AppleGothic",
)
_KNOWN = frozenset(name.casefold() for name in NAMES)
_FILES = ("simhei", "simsun", "msyh", "simkai", "simfang", "pingfang", "stheiti", "notosanscjk", "wqy", "sourcehan")
_PROBE = ord("中")
_FIRST_CJK = "\u2e80"
_from_any: Any = manager.FontProperties._from_any  # type: ignore[attr-defined]
_settings: Any = matplotlib.rcParams
_FALLBACK: list[Any] = []  # the installed CJK font, as matplotlib names it


def install() -> str:
    """Makes the changes; returns the CJK font's path, "" when there is none."""
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    path = find()
    if not path or _FALLBACK:
        return path
    known = {entry.name for entry in manager.fontManager.ttflist}
    for name in NAMES:
        if name not in known:
            manager.fontManager.ttflist.append(manager.FontEntry(fname=path, name=name))
    _FALLBACK.append(manager.fontManager.findfont(NAMES[0]))
    original = manager.FontManager._find_fonts_by_props
    single = manager.FontManager.findfont

    cache: dict[Any, list[Any]] = {}

    def find_fonts(self: Any, prop: Any, *args: Any, **named: Any) -> list[Any]:
        prop = _from_any(prop)
        key = None if args or named else (_identity(prop), *_generic())
        found = cache.get(key)
        if found is None:
            found = find_uncached(self, prop, *args, **named)
            if key is not None and len(cache) < 1000:
                cache[key] = found
        return list(found)

    def find_uncached(self: Any, prop: Any, *args: Any, **named: Any) -> list[Any]:
        found = original(self, _latin_first(prop), *args, **named)
        fallback = _FALLBACK[0]
        if found and named.get("fontext", args[0] if args else "ttf") == "ttf" and fallback not in found:
            found.append(fallback)
        return found

    def find_font(self: Any, prop: Any, *args: Any, **named: Any) -> Any:
        prop = _from_any(prop)
        file = prop.get_file()
        if file is not None and not os.path.exists(file) and _names_cjk(str(file)):
            return _FALLBACK[0]
        return single(self, prop, *args, **named)

    manager.FontManager._find_fonts_by_props = find_fonts  # type: ignore[method-assign]
    manager.FontManager.findfont = find_font  # type: ignore[method-assign]
    _teach_mathtext()
    return path


def _teach_mathtext() -> None:
    """Formulas look up one font only and have a fallback of their own: the same there."""
    plain_find, plain_glyph = manager.findfont, _mathtext.UnicodeFonts._get_glyph

    def find_latin(prop: Any, *args: Any, **named: Any) -> Any:
        return plain_find(_latin_first(_from_any(prop)), *args, **named)

    def get_glyph(self: Any, fontname: str, font_class: str, sym: str) -> Any:
        if len(sym) == 1 and sym >= _FIRST_CJK:
            cjk = manager.get_font(_FALLBACK[0])
            if cjk.get_char_index(ord(sym)):
                return cjk, ord(sym), False
        return plain_glyph(self, fontname, font_class, sym)

    _mathtext.findfont = find_latin  # type: ignore[attr-defined]
    _mathtext.UnicodeFonts._get_glyph = get_glyph  # type: ignore[method-assign]


def close() -> None:
    """Closes the font files that matplotlib keeps open: a child shares no descriptor with its siblings."""
    mathtext.MathTextParser._parse_cached.cache_clear()  # type: ignore[attr-defined]
    manager._get_font.cache_clear()  # type: ignore[attr-defined]


def find() -> str:
    """The first installed font that has Chinese glyphs."""
    roots = [os.path.join(sys.prefix, "share/fonts"), "/usr/share/fonts"]
    paths = sorted(
        os.path.join(folder, name)
        for root in dict.fromkeys(roots)
        for folder, _, names in os.walk(root)
        for name in names
        if name.lower().endswith((".ttf", ".otf", ".ttc"))
    )
    for path in paths:
        try:
            if ft2font.FT2Font(path).get_char_index(_PROBE):
                return path
        except (OSError, RuntimeError):
            continue
    return ""


def _identity(prop: Any) -> tuple[Any, ...]:
    """What a look-up depends on, of the properties."""
    return (
        tuple(prop.get_family()),
        prop.get_file(),
        prop.get_slant(),
        prop.get_variant(),
        prop.get_weight(),
        prop.get_stretch(),
        prop.get_size(),
    )


def _generic() -> list[tuple[str, ...]]:
    """What a look-up depends on, of the settings."""
    return [tuple(_settings[f"font.{key}"]) for key in ("sans-serif", "serif", "monospace")]


def _latin_first(prop: Any) -> Any:
    """The same properties without names that only mean "something with Chinese"."""
    families = prop.get_family()
    kept = [name for family in families for name in _expand(family) if name.casefold() not in _KNOWN]
    if kept == families:
        return prop
    prop = prop.copy()
    prop.set_family(kept or ["DejaVu Sans"])
    return prop


def _expand(family: str) -> list[str]:
    """A generic family as the names the code set for it, when one is CJK."""
    if family not in ("sans-serif", "serif", "monospace", "cursive", "fantasy", "sans", "sans serif"):
        return [family]
    key = "sans-serif" if family.startswith("sans") else family
    names = _settings[f"font.{key}"]
    if not any(name.casefold() in _KNOWN for name in names):
        return [family]
    rest = [name for name in names if name.casefold() not in _KNOWN]
    return [*rest, "DejaVu Sans"]


def _names_cjk(file: str) -> bool:
    name = file.replace("\\", "/").rpartition("/")[2].lower().replace("-", "").replace("_", "")
    return name.startswith(_FILES)
