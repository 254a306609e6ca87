"""The lines of one PDF page in reading order, with their cells and whether they may have been wrapped."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from unicodedata import bidirectional

import pypdfium2
import pypdfium2.raw as pdfium

from forager.parsing.pdfwords import PdfWord, page_words

GAP = 1.3
"""Line heights of empty room that part two cells; justified prose stays well below."""
JUMP = 0.6
"""Share of a line's height by which a word of the next line stands lower."""
SAME_LINE = 0.2
"""The same for words that pdfium takes for a new line."""
OPEN_END = re.compile(r"(?:,|(?P<word>\b[^\W\d_]+))$")
NEARLY_FULL = 0.7
"""Share of the column that a line takes at least which ends in mid-sentence before its time."""
INDENT = 40.0
"""Points by which lines of one column may begin apart."""
USUAL_WORD = "sixteen"
NEAR = 40
"""Lines before and after that show how wide a column is."""
SAME_EDGE = 6.0
COLUMN_LINES = 4
PROSE_WORDS = 3
"""Words a cell of a column of prose has at least, in most of its lines."""
COLUMN_MIN = 0.3
"""Share of the page's width under which lines are a list of short ones, not a column of prose."""


@dataclass(frozen=True, slots=True)
class PdfCell:
    """A stretch of a line with a wide gap on either side; ``left`` and ``right`` in points."""

    words: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Measures are in points; ``hyphenated`` says that the last word goes on in the next line.

    ``wraps`` says that the line reaches so far that it may have been broken for want of room. ``cells`` are the
    line's stretches between wide gaps; a line of prose is one.
    """

    words: str
    height: float
    hidden: bool
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    hyphenated: bool = False
    wraps: bool = False
    cells: tuple[PdfCell, ...] = ()


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
    lines = _placed(_lines(page_words(textpage)), float(page.get_width()))
    empty = "" if lines else "the page has no text, only an image" if _has_image(page) else "the page is empty"
    textpage.close()
    page.close()
    return lines, empty


def _has_image(page: pypdfium2.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=2))


def _lines(words: Iterable[PdfWord]) -> list[PdfLine]:
    """Words on one line: pdfium's lines, joined where the next goes on at the same height, cut where one jumps."""
    lines: list[list[PdfWord]] = []
    for word in words:
        if not lines or _parts(lines[-1][-1], word):
            lines.append([])
        lines[-1].append(word)
    return [_line(line) for line in lines]


def _parts(before: PdfWord, word: PdfWord) -> bool:
    """Whether ``word`` begins a new line, or text that is seen or unseen where the text before was not."""
    drop = abs(word.bottom - before.bottom) / max(before.height, word.height, 1.0)
    goes_back = word.left < before.right
    is_new = goes_back or drop > SAME_LINE if word.first else goes_back and drop > JUMP
    return is_new or word.hidden != before.hidden


def _line(words: Sequence[PdfWord]) -> PdfLine:
    cells = _cells(words)
    return PdfLine(
        words=" ".join(cell.words for cell in cells),
        height=words[0].height,
        hidden=words[0].hidden,
        left=min(word.left for word in words),
        right=max(word.right for word in words),
        bottom=words[0].bottom,
        hyphenated=words[-1].hyphenated,
        cells=cells,
    )


def _cells(words: Sequence[PdfWord]) -> tuple[PdfCell, ...]:
    """The line cut at its wide gaps."""
    parts: list[list[PdfWord]] = []
    for word in words:
        if not parts or word.left - parts[-1][-1].right > GAP * words[0].height:
            parts.append([])
        parts[-1].append(word)
    return tuple(PdfCell(" ".join(w.text for w in part), part[0].left, part[-1].right) for part in parts)


def _placed(lines: list[PdfLine], page_width: float) -> list[PdfLine]:
    """In reading order, with the lines marked that may have been broken for want of room."""
    ordered = downwards(lines)
    split = _column_split(ordered)
    return (
        _with_wraps(ordered, page_width) if split is None else _with_wraps(in_columns(ordered, split), page_width / 2)
    )


def downwards(lines: list[PdfLine]) -> list[PdfLine]:
    """Lines from top to bottom where the page is one column; else in the order they were written.

    Some programs write a page's lines in another order than they stand; a second column is told by a step
    upwards to words that stand beside the ones before.
    """
    for before, line in pairwise(lines):
        is_above = line.bottom > before.bottom + before.height
        is_beside = line.left > before.right or line.right < before.left
        if is_above and is_beside:
            return lines
    return sorted(lines, key=lambda line: -line.bottom)


def in_columns(lines: list[PdfLine], split: float) -> list[PdfLine]:
    """Lines that run over two columns of prose, taken apart: the left column down, then the right one."""
    left: list[PdfLine] = []
    right: list[PdfLine] = []
    found: list[PdfLine] = []
    for line in lines:
        if line.left < split - INDENT and any(cell.left < split < cell.right for cell in line.cells):
            found.extend((*left, *right, line))
            left, right = [], []
            continue
        for cell in line.cells:
            part = replace(line, words=cell.words, left=cell.left, right=cell.right, cells=(cell,))
            (right if cell.left >= split - SAME_EDGE else left).append(part)
    return [*found, *left, *right]


def _column_split(lines: list[PdfLine]) -> float | None:
    """Where the right column begins, when most lines of two cells share it and read like prose."""
    pairs = [line.cells for line in lines if len(line.cells) == 2]
    if len(pairs) < COLUMN_LINES or len(pairs) < len(lines) / 2:
        return None
    split = sorted(second.left for _, second in pairs)[len(pairs) // 2]
    aligned = [pair for pair in pairs if abs(pair[1].left - split) < SAME_EDGE]
    prose = [pair for pair in aligned if all(len(cell.words.split()) >= PROSE_WORDS for cell in pair)]
    return split if len(aligned) >= 0.8 * len(pairs) and len(prose) >= 0.6 * len(aligned) else None


def _with_wraps(lines: list[PdfLine], page_width: float) -> list[PdfLine]:
    """Marks the lines that end where the next line's first word would no longer have fitted into the column."""
    following: list[PdfLine | None] = [*lines, None][1:]
    return [
        replace(line, wraps=_wraps(line, after, lines[max(0, index - NEAR) : index + NEAR + 1], page_width))
        for index, (line, after) in enumerate(zip(lines, following, strict=True))
    ]


def _wraps(line: PdfLine, after: PdfLine | None, near: Sequence[PdfLine], page_width: float) -> bool:
    """``after`` is None at the end of a page, where a word of usual length stands for the next one."""
    if after is not None and _runs_right_to_left(line) != _runs_right_to_left(after):
        return False
    others = [other.right for other in near if other is not line and abs(other.left - line.left) < INDENT]
    edge = max([*others, line.right])
    is_column = edge - line.left >= COLUMN_MIN * page_width
    follow = after.words.split(" ", 1)[0] if after else USUAL_WORD
    character = (line.right - line.left) / max(len(line.words), 1)
    is_full = line.right + (len(follow) + 1) * character >= edge
    return is_column and (is_full or (_is_open(line) and line.right - line.left >= NEARLY_FULL * (edge - line.left)))


def _is_open(line: PdfLine) -> bool:
    """Ends with a comma or a word in small letters: in mid-sentence."""
    match = OPEN_END.search(line.words)
    return match is not None and (match["word"] is None or match["word"].islower())


def _runs_right_to_left(line: PdfLine) -> bool:
    """By the first letter that has a direction."""
    return next((kind != "L" for c in line.words if (kind := bidirectional(c)) in ("L", "R", "AL")), False)
