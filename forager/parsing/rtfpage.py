"""The page an RTF file writes: paragraphs, tables and notes as they end, put into the one text in order."""

from dataclasses import dataclass, field

from forager.parsing.builder import Piece, TextBuilder, plain, tidy
from forager.parsing.document import BlockKind, Locator
from forager.parsing.officefile import BODY_PLACE
from forager.parsing.placing import section_place, under
from forager.parsing.tables import first_row_is_heads

DEEPEST = 9


@dataclass
class Paragraph:
    """The paragraph being written, with the properties that hold until they are reset."""

    pieces: list[Piece] = field(default_factory=list)
    level: int | None = None
    style: int | None = None
    in_list: bool = False
    in_table: bool = False

    def reset(self) -> None:
        self.level, self.style, self.in_list, self.in_table = None, None, False, False


@dataclass
class Page:
    out: TextBuilder = field(default_factory=TextBuilder)
    body: Paragraph = field(default_factory=Paragraph)
    headings: dict[int, int] = field(default_factory=dict)
    title: str = ""
    paragraphs: int = 0
    _aside: list[tuple[str, list[Piece]]] = field(default_factory=list)
    _row: list[list[Piece]] = field(default_factory=list)
    _rows: list[list[list[Piece]]] = field(default_factory=list)
    _section: tuple[str, ...] = ()
    _levels: tuple[int, ...] = ()
    _lead_in: str = ""
    _last_words: str = ""

    def end_cell(self) -> None:
        self._row.append(tidy(self.body.pieces))
        self.body.pieces = []

    def end_row(self) -> None:
        self._rows.append(self._row)
        self._row = []

    def add_aside(self, kind: str, pieces: list[Piece]) -> None:
        """A note, comment or margin; it stands behind the paragraph it hangs on."""
        words = tidy(pieces)
        if words:
            self._aside.append((kind, words))

    def end_paragraph(self) -> None:
        if self.body.in_table:
            self.body.pieces.append((" ", ""))
            return
        self.end_table()
        pieces, self.body.pieces = tidy(self.body.pieces), []
        if pieces:
            self.paragraphs += 1
            self._put(pieces)
        for kind, words in self._aside:
            place: tuple[str, Locator] = (kind.capitalize(), {"kind": "part", "part": kind})
            section = self._section if kind == "footnote" else ()
            self.out.add(BlockKind.PARAGRAPH, words, place, section=section)
        self._aside = []

    def end(self) -> None:
        """The file is over, whatever stands open."""
        self.body.in_table = False
        if self._row:
            self.end_row()
        self.end_paragraph()

    def end_table(self) -> None:
        rows, self._rows = self._rows, []
        words = [[plain(cell) for cell in row] for row in rows]
        has_heads = first_row_is_heads(words)
        for row in rows[1:] if has_heads else rows:
            self.paragraphs += 1
            self.out.add_row(row, words[0] if has_heads else (), self._where(), section=self._section)

    def _put(self, pieces: list[Piece]) -> None:
        words = plain(pieces)
        level = self.body.level or self.headings.get(self.body.style or -1)
        if level and words:
            self._heading(pieces, words, min(level, DEEPEST))
            return
        if self.body.in_list and self._last_words.endswith((":", "：")):
            self._lead_in = self._last_words
        kind = BlockKind.LIST_ITEM if self.body.in_list else BlockKind.PARAGRAPH
        lead_in = self._lead_in if self.body.in_list else ""
        self.out.add(kind, pieces, self._where(), section=self._section, lead_in=lead_in)
        self._last_words = words

    def _heading(self, pieces: list[Piece], words: str, level: int) -> None:
        self._section, self._levels = under(self._section, self._levels, level)
        self.title = self.title or words
        place = section_place((*self._section, words))
        self.out.add(BlockKind.HEADING, pieces, place, section=self._section, level=level)
        self._section, self._levels = (*self._section, words), (*self._levels, level)
        self._last_words = ""

    def _where(self) -> tuple[str, Locator]:
        return section_place(self._section) if self._section else BODY_PLACE
