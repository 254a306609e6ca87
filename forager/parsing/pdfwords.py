"""The words of one PDF page as pdfium reads them, with where they stand and whether a reader can see them."""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from forager.parsing.encoding import storable

TINY = 3.0
"""Points; text lower than this is not meant to be read."""
NEARLY_WHITE = 250
WORD = re.compile(r"\S+")
LINE_END_HYPHENS = "\x02\ufffe\u00ad"
"""What pdfium gives for a hyphen that only breaks a line."""


@dataclass(frozen=True, slots=True)
class PdfWord:
    """Measures in points. ``first`` marks the first word of what pdfium takes for a line."""

    text: str
    left: float
    right: float
    bottom: float
    height: float
    hidden: bool
    hyphenated: bool
    first: bool


def page_words(textpage: pypdfium2.PdfTextPage) -> Iterator[PdfWord]:
    """In the order of the page's content."""
    raw: str = textpage.get_text_range()
    units = _Units(raw)
    for match in WORD.finditer(raw):
        before = raw[max(0, raw.rfind("\n", 0, match.start())) : match.start()]
        word = _word(textpage, match[0], units.at(match.start()), units.at(match.end() - 1), not before.strip())
        if word.text:
            yield word


def _word(textpage: pypdfium2.PdfTextPage, raw: str, start: int, end: int, first: bool) -> PdfWord:
    head, tail = _char_index(textpage, start), _char_index(textpage, end)
    left, bottom, right, top = _box(textpage, head)
    last_left, _, last_right, _ = _box(textpage, tail)
    height = round(min(top - bottom, 1000.0), 1)
    is_white = _is_white(textpage, head) and _is_white(textpage, tail)
    return PdfWord(
        text=storable(raw.strip(LINE_END_HYPHENS)),
        left=min(left, last_left),
        right=max(right, last_right),
        bottom=bottom,
        height=height,
        hidden=0 < height < TINY or is_white,
        hyphenated=raw.endswith(tuple(LINE_END_HYPHENS)),
        first=first,
    )


class _Units:
    """Offsets in UTF-16 units, which pdfium counts in, for offsets in code points."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._wide = [index for index, character in enumerate(text) if character > "\uffff"]

    def at(self, offset: int) -> int:
        return offset + sum(1 for index in self._wide if index < offset)


def _char_index(textpage: pypdfium2.PdfTextPage, unit: int) -> int:
    return int(pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, unit))


def _box(textpage: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    """Left, bottom, right, top of a character's line box; a font's nominal size says nothing when it is scaled."""
    if index < 0:
        return 0.0, 0.0, 0.0, 0.0
    left, bottom, right, top = (float(value) for value in textpage.get_charbox(index, loose=True))
    return min(left, right), min(bottom, top), max(left, right), max(bottom, top)


def _is_white(textpage: pypdfium2.PdfTextPage, index: int) -> bool:
    if index < 0:
        return False
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    known = pdfium.FPDFText_GetFillColor(textpage, index, red, green, blue, alpha)
    return bool(known) and (alpha.value == 0 or min(red.value, green.value, blue.value) >= NEARLY_WHITE)
