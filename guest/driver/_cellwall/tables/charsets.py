"""Guesses a legacy encoding by asking under which one the text makes sense.

Nearly every byte string is valid in several of these encodings, so validity
decides little. Each candidate decodes a sample, and each character outside
ASCII earns what it is worth in that encoding's languages: much for a character
of everyday text, little for a rare one, and a fine for an impossible one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

# The characters that make up about a third of running text.
_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么"
    "心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现"
    "分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位"
    "因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师"
    "书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及"
    "今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结"
    "六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区"
    "销售额订单产品客户价格数量日期名称编号备注类型状态"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她里後小麼"
    "心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現"
    "分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位"
    "因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師"
    "書比住員九笑性通目華報立馬命張活難神數件安表原車白應路期叫死常提感金何更反合放做系計或司利受光王果親界及"
    "銷售額訂單產品客戶價格數量日期名稱編號備註類型狀態臺灣區縣"
)
_HANGUL = frozenset(
    "이다는을의에가고하지로도한사인기서를해아어은시대자나그있일수정전리부주과제보상원회동라면성장신만국계"
)
_PUNCTUATION = re.compile(r"[\u3000-\u303f\uff01-\uff5e·—…“”‘’№℃]")
_WESTERN_LETTER = re.compile(r"[àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšžÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝŒŠŽ]")
_WESTERN_SIGN = re.compile(r"[€£¥°§©®«»–—…“”‘’‚„•·µ½¼¾²³±×÷¡¿ªº™\u00a0¢]")

_OUTSIDE = re.compile(r"[^\x00-\x7f]")
_ASCII = re.compile(r"[\x00-\x7f]+")

_Weigh = Callable[[str], float]


def guess(sample: bytes) -> tuple[str, float]:
    """Gives the codec that explains the sample best, and its score per character.

    A score near or above 1 is everyday text; below 0.4 nothing explains it.
    """
    best, best_score = "latin-1", -10.0
    for codec, weigh in _CANDIDATES:
        score = weigh(sample.decode(codec, "replace"))
        if score > best_score + 1e-9:
            best, best_score = codec, score
    return best, best_score


def _mean(text: str, worth: Callable[[str], float]) -> float:
    counts = Counter(_ASCII.sub("", text))
    n = counts.total()
    return sum(worth(c) * k for c, k in counts.items()) / n if n else 0.0


@cache
def _rows(codec: str, leads: range, trails: tuple[int, int]) -> frozenset[str]:
    """The characters of a block of a double-byte encoding."""
    block = bytes(b for lead in leads for t in range(trails[0], trails[1] + 1) for b in (lead, t))
    return frozenset(block.decode(codec, "ignore"))


def _fine(c: str) -> float:
    return -3.0 if c == "\ufffd" or "\ue000" <= c <= "\uf8ff" or c <= "\x9f" else 0.0


def _chinese(codec: str, leads: range, trails: tuple[int, int], everyday: frozenset[str]) -> _Weigh:
    def worth(c: str) -> float:
        if c in everyday:
            return 1.5
        if c in _rows(codec, leads, trails):
            return 0.9
        return 0.7 if _PUNCTUATION.match(c) else _fine(c)

    return lambda text: _mean(text, worth)


def _japanese(codec: str, leads: range, trails: tuple[int, int]) -> _Weigh:
    def worth(c: str) -> float:
        if "\u3041" <= c <= "\u30ff":
            return 1.4
        if c in _rows(codec, leads, trails):
            return 0.95
        if "\uff61" <= c <= "\uff9f":  # half-width kana: also what any Chinese text looks like
            return 0.15
        return 0.7 if _PUNCTUATION.match(c) else _fine(c)

    return lambda text: _mean(text, worth)


def _korean(text: str) -> float:
    """Hangul takes the first part of the block where Chinese has its everyday
    characters, so text that never leaves that part is Korean."""

    def worth(c: str) -> float:
        if c in _HANGUL:
            return 1.5
        if c in _rows("euc_kr", range(0xB0, 0xC9), (0xA1, 0xFE)):
            return 0.95
        return 0.5 if _PUNCTUATION.match(c) else _fine(c)

    seen = set(_ASCII.sub("", text))
    inside = len(seen) >= 8 and all(worth(c) > 0 for c in seen)
    return _mean(text, worth) + (0.5 if inside else 0.0)


def _western(text: str) -> float:
    total, n = 0.0, 0
    padded = f" {text} "
    for m in _OUTSIDE.finditer(padded):
        i, c = m.start(), m.group()
        n += 1
        before, after = padded[i - 1], padded[i + 1]
        if _WESTERN_LETTER.match(c):
            beside_ascii = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
            shouted = c.isupper() and before.isascii() and before.islower()
            total += 1.2 if beside_ascii and not shouted else 0.1
        elif _WESTERN_SIGN.match(c):
            total += 0.6 if before < "\x80" and after < "\x80" else 0.0
        else:
            total += _fine(c)
    return total / n if n else 0.0


def _cyrillic(text: str) -> float:
    total, n = 0.0, 0
    padded = f" {text}"
    for m in _OUTSIDE.finditer(padded):
        n += 1
        c, before = m.group(), padded[m.start() - 1]
        letter = "\u0410" <= c <= "\u044f" or c in "Ёё"
        inside = "\u0410" <= before <= "\u044f"
        if letter and c.islower():
            total += 1.2 if not (before.isascii() and before.isalpha()) else 0.0
        elif letter:
            total += 0.65 if inside and before.isupper() else -0.85 if inside else 1.0
        else:
            total += _fine(c)
    return total / n if n else 0.0


_CANDIDATES: tuple[tuple[str, _Weigh], ...] = (
    ("gb18030", _chinese("gb2312", range(0xB0, 0xD8), (0xA1, 0xFE), _SIMPLIFIED)),
    ("big5", _chinese("big5", range(0xA4, 0xC7), (0x40, 0xFE), _TRADITIONAL)),
    ("cp932", _japanese("cp932", range(0x88, 0x98), (0x40, 0xFC))),
    ("euc_jp", _japanese("euc_jp", range(0xB0, 0xD0), (0xA1, 0xFE))),
    ("cp949", _korean),
    ("cp1252", _western),
    ("cp1251", _cyrillic),
)
