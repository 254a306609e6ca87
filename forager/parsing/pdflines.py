"""The lines of one PDF page as pdfium reads them, with their height and whether a reader can see them."""

import ctypes
from dataclasses import dataclass, replace

import pypdfium2
import pypdfium2.raw as pdfium

from forager.parsing.encoding import storable

TINY = 3.0
"""Points; text lower than this is not meant to be read."""
NEARLY_WHITE = 250
INDENT = 40.0
"""Points by which lines of one column may begin apart."""
COLUMN_MIN = 0.35
"""Share of the page's width under which lines are a list of short ones, not a column of prose."""
LINE_END_HYPHENS = ("\x02", "\ufffe", "\u00ad")


@dataclass(frozen=True, slots=True)
class PdfLine:
    """``height``, ``left`` and ``right`` are in points; ``hyphenated``: the last word goes on in the next line.

    ``wraps`` says that the line reaches so far that it may have been broken for want of room.
    """

    words: str
    height: float
    hidden: bool
    left: float = 0.0
    right: float = 0.0
    hyphenated: bool = False
    wraps: bool = False


def page_lines(document: pypdfium2.PdfDocument, index: int) -> tuple[list[PdfLine], str]:
    """The page's lines, and why there are none ("" when there are)."""
    try:
        page = document.get_page(index)
    except pypdfium2.PdfiumError:
        return [], "the page is damaged"
    try:
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        return [], "the page's text cannot be read"
    lines = _with_wraps(_lines(textpage), page.get_width())
    empty = "" if lines else "the page has no text, only an image" if _has_image(page) else "the page is empty"
    textpage.close()
    page.close()
    return lines, empty


def _has_image(page: pypdfium2.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=2))


def _lines(textpage: pypdfium2.PdfTextPage) -> list[PdfLine]:
    raw: str = textpage.get_text_range()
    lines: list[PdfLine] = []
    unit = 0
    for part in raw.split("\n"):
        width = len(part.encode("utf-16-le", "surrogatepass")) // 2
        body = part.rstrip("\r")
        if body.strip():
            lines.append(_line(textpage, body, unit))
        unit += width + 1
    return lines


def _line(textpage: pypdfium2.PdfTextPage, body: str, unit: int) -> PdfLine:
    lead = len(body) - len(body.lstrip())
    first = _char_index(textpage, unit + lead)
    last = _char_index(textpage, unit + max(lead, len(body.rstrip()) - 1))
    left, _, height = _box(textpage, first)
    _, right, _ = _box(textpage, last)
    hidden = 0 < height < TINY or (_is_white(textpage, first) and _is_white(textpage, last))
    hyphenated = body.rstrip().endswith(LINE_END_HYPHENS)
    words = " ".join(storable(body.rstrip().rstrip("".join(LINE_END_HYPHENS))).split())
    return PdfLine(words, height, hidden, left, right, hyphenated)


def _with_wraps(lines: list[PdfLine], page_width: float) -> list[PdfLine]:
    """Marks the lines that end where the next line's first word would no longer have fitted into the column."""
    found = []
    for index, line in enumerate(lines):
        column = [
            other.right for other in lines[max(0, index - 40) : index + 41] if abs(other.left - line.left) < INDENT
        ]
        edge = max(column)
        follow = lines[index + 1].words.split(" ", 1)[0] if index + 1 < len(lines) else ""
        character = (line.right - line.left) / max(len(line.words), 1)
        is_full = line.right + (len(follow) + 1) * character >= edge
        is_column = edge - line.left >= COLUMN_MIN * page_width
        found.append(replace(line, wraps=is_full and is_column))
    return found


def _char_index(textpage: pypdfium2.PdfTextPage, unit: int) -> int:
    return int(pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, unit))


def _box(textpage: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float]:
    """Left, right and height of a character's line box; a font's nominal size says nothing when scaled."""
    if index < 0:
        return 0.0, 0.0, 0.0
    left, bottom, right, top = (float(value) for value in textpage.get_charbox(index, loose=True))
    return min(left, right), max(left, right), round(min(abs(top - bottom), 1000.0), 1)


def _is_white(textpage: pypdfium2.PdfTextPage, index: int) -> bool:
    if index < 0:
        return False
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    known = pdfium.FPDFText_GetFillColor(textpage, index, red, green, blue, alpha)
    values = (red.value, green.value, blue.value)
    return bool(known) and (alpha.value == 0 or min(values) >= NEARLY_WHITE)
