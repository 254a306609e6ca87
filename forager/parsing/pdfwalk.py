"""From the lines of all pages to blocks: paragraphs over line and page ends, headings, running headers once."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from forager.parsing.builder import TextBuilder
from forager.parsing.document import BlockKind, Locator
from forager.parsing.lines import LIST_MARK, SENTENCE_END, STAMPED, Line, is_continuation, key_value_cell
from forager.parsing.pdflines import PdfLine
from forager.parsing.tables import first_row_is_heads

HEADING_RATIO = 1.15
HEADING_MAX = 110
SENTENCE = re.compile(r"[.,;]$|\w{2}\.\s+[A-Z]")
"""A heading neither ends like a sentence nor holds the end of one."""
EDGE = 2
"""Lines at the top and bottom of a page that may be running headers or footers."""
TABLE_ROWS = 2
"""Lines of as many cells that make a table."""
RUNNING_PAGES = 3
PAGE_NUMBER = re.compile(
    r"(?:\b(?:page|seite|blatt|sida|side|página|pagina|strana|sivu|p\.|s\.)\s*|^\W*)"
    r"(?P<number>\d+)(?:\s*(?:of|/|von|av|de|sur|di|van)\s*\d+)?\W*$",
    re.IGNORECASE,
)


@dataclass
class PdfWalk:
    """``opened`` gathers the lines of a paragraph; ``waiting`` the running lines met while one is open.

    ``broken_off`` are pages whose last sentence has no end.
    """

    out: TextBuilder = field(default_factory=TextBuilder)
    title: str = ""
    hidden: int = 0
    broken_off: list[int] = field(default_factory=list)
    section: tuple[str, ...] = ()
    opened: list[str] = field(default_factory=list)
    opened_kind: BlockKind = BlockKind.PARAGRAPH
    opened_pages: tuple[int, int] = (0, 0)
    last: PdfLine | None = None
    lead_in: str = ""
    waiting: list[tuple[str, str]] = field(default_factory=list)
    seen_running: set[str] = field(default_factory=set)

    def run(self, pages: Sequence[Sequence[PdfLine]]) -> None:
        running = _running(pages)
        body = _body_height(pages)
        for number, lines in enumerate(pages, 1):
            rows = _table_rows(lines)
            for position, line in enumerate(lines):
                if position in rows:
                    self._row(line, rows[position], number)
                    continue
                masked = _masked(line.words, number)
                if masked in running and _at_edge(position, len(lines)):
                    self._running_line(line.words, masked)
                elif line.hidden:
                    self.hidden += 1
                    self.waiting.append((line.words, "hidden"))
                else:
                    self._line(line, number, is_heading=_is_heading(line, body))
        self._close()

    def _row(self, line: PdfLine, heads: tuple[str, ...] | None, page: int) -> None:
        """A row of a table; the row of heads itself makes no block but stays in the text."""
        self._close()
        if heads is None:
            self.out.exclude(line.words, "")
        else:
            cells = [[(cell.words, "")] for cell in line.cells]
            self.out.add_row(cells, heads, _place(page, page), section=self.section)
        self.last, self.lead_in = None, ""

    def _running_line(self, words: str, masked: str) -> None:
        reason = "repeated" if masked in self.seen_running else ""
        self.seen_running.add(masked)
        self.waiting.append((words, reason))

    def _line(self, line: PdfLine, page: int, *, is_heading: bool) -> None:
        mark = LIST_MARK.match(line.words)
        is_pair = key_value_cell(line.words, Line(0, len(line.words), 1)) is not None
        if is_heading:
            self._heading(line, page)
        elif not (mark or is_pair) and self._goes_on(line, page):
            self.opened.append(line.words)
            self.opened_pages = (self.opened_pages[0], page)
        else:
            self._note_break(page)
            self._close()
            self.opened_kind = BlockKind.LIST_ITEM if mark else BlockKind.PARAGRAPH
            self.opened = [line.words[mark.end() :] if mark else line.words]
            self.opened_pages = (page, page)
        self.last = line

    def _note_break(self, page: int) -> None:
        """A sentence that stops at the end of its page and is not taken up at the top of the next."""
        is_cut = self.opened and self.last is not None and self.last.wraps and not SENTENCE_END.search(self.opened[-1])
        if is_cut and self.opened_pages[1] < page:
            self.broken_off.append(self.opened_pages[1])

    def _goes_on(self, line: PdfLine, page: int) -> bool:
        if not self.opened or self.last is None or STAMPED.match(line.words):
            return False
        before = self.opened[-1]
        if len(self.opened) == 1 and key_value_cell(before, Line(0, len(before), 1)):
            return False
        if abs(self.last.height - line.height) > 0.2 * max(self.last.height, 1.0):
            return False
        if self.last.hyphenated:
            return True
        starts_low = line.words[:1].islower()
        if SENTENCE_END.search(before):
            return starts_low and self.last.wraps and is_continuation(before, line.words)
        return starts_low or (self.last.wraps and (page == self.opened_pages[1] or not line.words[:1].isupper()))

    def _heading(self, line: PdfLine, page: int) -> None:
        self._close()
        kind = BlockKind.HEADING if self.title else BlockKind.TITLE
        level = 2 if self.title else 1
        self.section = (self.title,) if self.title else ()
        self.out.add(kind, [(line.words, "")], _place(page, page), section=self.section, level=level)
        self.title = self.title or line.words
        self.section = (*self.section, line.words)
        self.lead_in = ""

    def _close(self) -> None:
        """Writes the open paragraph, then what had to wait for it."""
        if self.opened:
            words = _joined(self.opened)
            is_item = self.opened_kind is BlockKind.LIST_ITEM
            place = _place(*self.opened_pages)
            lead_in = self.lead_in if is_item else ""
            self.out.add(self.opened_kind, [(words, "")], place, section=self.section, lead_in=lead_in)
            if not is_item:
                self.lead_in = words if words.endswith((":", "：")) else ""
        page = self.opened_pages[1] or 1
        self.opened = []
        for words, reason in self.waiting:
            self.out.add(BlockKind.PARAGRAPH, [(words, reason)], _place(page, page))
        self.waiting = []


def _place(first: int, last: int) -> tuple[str, Locator]:
    if first == last:
        return f"Page {first}", {"kind": "page", "page": first}
    return f"Pages {first}-{last}", {"kind": "page", "page": first, "last": last}


def _joined(lines: Sequence[str]) -> str:
    """Lines with one blank between them; a word broken by a hyphen at the line's end stays as it is printed."""
    words = lines[0]
    for line in lines[1:]:
        words = f"{words}{line}" if re.search(r"\w-$", words) and line[:1].islower() else f"{words} {line}"
    return words


def _table_rows(lines: Sequence[PdfLine]) -> dict[int, tuple[str, ...] | None]:
    """Positions of table rows with the heads they stand under; None for the row of heads."""
    found: dict[int, tuple[str, ...] | None] = {}
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and len(lines[end].cells) == len(lines[start].cells) and not lines[end].hidden:
            end += 1
        if len(lines[start].cells) > 1 and end - start >= TABLE_ROWS:
            found |= _headed(lines, start, end)
        start = max(end, start + 1)
    return found


def _headed(lines: Sequence[PdfLine], start: int, end: int) -> dict[int, tuple[str, ...] | None]:
    words = [tuple(cell.words for cell in line.cells) for line in lines[start:end]]
    if first_row_is_heads(words):
        return {start: None, **dict.fromkeys(range(start + 1, end), words[0])}
    return dict.fromkeys(range(start, end), ())


def _body_height(pages: Sequence[Sequence[PdfLine]]) -> float:
    """The height most text has, weighted by its length."""
    weights: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            weights[line.height] += len(line.words)
    return weights.most_common(1)[0][0] if weights else 0.0


def _is_heading(line: PdfLine, body: float) -> bool:
    is_taller = body > 0 and line.height >= HEADING_RATIO * body
    return is_taller and len(line.words) <= HEADING_MAX and not SENTENCE.search(line.words)


def _at_edge(position: int, count: int) -> bool:
    return count > EDGE and (position < EDGE or position >= count - EDGE)


def _masked(words: str, page: int) -> str:
    """The line with its own page number taken out, where it is plainly that."""
    match = PAGE_NUMBER.search(words)
    return PAGE_NUMBER.sub("#", words) if match and int(match["number"][:9]) == page else words


def _edges(lines: Sequence[PdfLine]) -> Iterator[PdfLine]:
    return (line for position, line in enumerate(lines) if _at_edge(position, len(lines)))


def _running(pages: Sequence[Sequence[PdfLine]]) -> frozenset[str]:
    """Lines that stand at the edge of most pages, but for the page number."""
    counts: Counter[str] = Counter()
    for number, lines in enumerate(pages, 1):
        counts.update({_masked(line.words, number) for line in _edges(lines)})
    needed = max(RUNNING_PAGES, len(pages) // 2)
    return frozenset(words for words, count in counts.items() if count >= needed)
