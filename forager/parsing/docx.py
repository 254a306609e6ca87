"""DOCX: paragraphs, headings, lists, tables, notes, headers and comments, in reading order.

Tracked insertions are read, deletions are not; struck and hidden text is kept but excluded.
"""

from dataclasses import dataclass, field

from lxml import etree

from forager.parsing.builder import Piece, TextBuilder, plain, tidy
from forager.parsing.dates import of_package
from forager.parsing.document import BlockKind, Document, Locator
from forager.parsing.docxruns import W, attribute, paragraphs_and_tables, pieces_of, references, text_boxes
from forager.parsing.docxstyles import Styles
from forager.parsing.encoding import storable
from forager.parsing.officefile import BODY_PLACE, assembled
from forager.parsing.package import Package, damaged
from forager.parsing.placing import section_place, under
from forager.parsing.tables import first_row_is_heads

DC = "{http://purl.org/dc/elements/1.1/}"
DCTERMS = "{http://purl.org/dc/terms/}"
COLUMN_LIMIT = 200


def parse_docx(content: bytes, name: str) -> Document:
    """Places are sections; footnotes stand right behind the paragraph that refers to them."""
    package = Package(content)
    root = package.xml("word/document.xml")
    body = root.find(f"{W}body") if root is not None else None
    if body is None:
        raise damaged("it has no body")
    walk = _Walk(Styles.of(package), _notes(package, "footnote"), _notes(package, "endnote"))
    walk.run(body)
    _margins(walk, package)
    _comments(walk, package)
    core = package.xml("docProps/core.xml")
    return assembled(
        walk.out,
        source_type="docx",
        media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        title=_core(core, f"{DC}title") or walk.title,
        dates=of_package((tag, _core(core, f"{DCTERMS}{tag}")) for tag in ("modified", "created")),
        paragraphs=walk.paragraphs,
    )


def _core(core: etree._Element | None, tag: str) -> str:
    found = core.findtext(tag) if core is not None else None
    return " ".join(storable(found or "").split())


def _notes(package: Package, kind: str) -> dict[str, etree._Element]:
    root = package.xml(f"word/{kind}s.xml")
    if root is None:
        return {}
    notes = {attribute(note, "id"): note for note in root.findall(f"{W}{kind}") if not attribute(note, "type")}
    return {key: note for key, note in notes.items() if key}


def _margins(walk: "_Walk", package: Package) -> None:
    """Page headers and footers, each text once however many sections repeat it."""
    seen: set[str] = set()
    for kind in ("header", "footer"):
        for name in sorted(part for part in package.names if part.startswith(f"word/{kind}") and part.endswith(".xml")):
            root = package.xml(name)
            for element in root.iter(f"{W}p") if root is not None else ():
                pieces = tidy(pieces_of(element))
                words = plain(pieces)
                if words and words not in seen:
                    seen.add(words)
                    place: tuple[str, Locator] = (f"Page {kind}", {"kind": "part", "part": kind})
                    walk.out.add(BlockKind.PARAGRAPH, pieces, place)


def _comments(walk: "_Walk", package: Package) -> None:
    root = package.xml("word/comments.xml")
    for number, comment in enumerate(root.findall(f"{W}comment") if root is not None else (), 1):
        author = " ".join(storable(attribute(comment, "author")).split())
        location = f"Comment {number} by {author}" if author else f"Comment {number}"
        for element in comment.iter(f"{W}p"):
            place: tuple[str, Locator] = (location, {"kind": "part", "part": f"comment {number}"})
            walk.out.add(BlockKind.PARAGRAPH, tidy(pieces_of(element)), place)


@dataclass
class _Walk:
    styles: Styles
    footnotes: dict[str, etree._Element]
    endnotes: dict[str, etree._Element]
    out: TextBuilder = field(default_factory=TextBuilder)
    title: str = ""
    section: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    lead_in: str = ""
    last_words: str = ""
    in_list: bool = False
    paragraphs: int = 0

    def run(self, body: etree._Element) -> None:
        for element in paragraphs_and_tables(body):
            if element.tag == f"{W}tbl":
                self._table(element)
            else:
                self._paragraph(element)
            for box in text_boxes(element):
                self.run(box)
            self._note_texts(element)

    def _paragraph(self, element: etree._Element) -> None:
        self.paragraphs += 1
        pieces = tidy(pieces_of(element))
        if not pieces:
            return
        words = plain(pieces)
        level = self.styles.heading_level(element)
        if level is not None and words:
            self._heading(pieces, words, level)
            return
        is_item = self.styles.is_list_item(element)
        if is_item and not self.in_list:
            self.lead_in = self.last_words if self.last_words.endswith((":", "：")) else ""
        self.in_list = is_item
        kind = BlockKind.LIST_ITEM if is_item else BlockKind.PARAGRAPH
        lead_in = self.lead_in if is_item else ""
        self.out.add(kind, pieces, self._where(), section=self.section, lead_in=lead_in)
        self.last_words = words

    def _heading(self, pieces: list[Piece], words: str, level: int) -> None:
        """Level 0 is the document's title; it stands at the head of every section's path."""
        self.section, self.levels = under(self.section, self.levels, level)
        kind = BlockKind.TITLE if level == 0 else BlockKind.HEADING
        self.title = self.title or words
        self.out.add(kind, pieces, section_place((*self.section, words)), section=self.section, level=level)
        self.section, self.levels = (*self.section, words), (*self.levels, level)
        self.in_list, self.last_words = False, ""

    def _where(self, note: str = "") -> tuple[str, Locator]:
        location, locator = section_place(self.section) if self.section else BODY_PLACE
        return (f"{location}, {note}", {**locator, "note": note}) if note else (location, locator)

    def _table(self, table: etree._Element) -> None:
        rows = [_cells(row) for row in table.iterchildren(f"{W}tr")]
        self.paragraphs += len(rows)
        words = [[plain(cell) for cell in cells] for cells in rows]
        has_heads = len(rows) > 1 and (_marks_heads(table) or first_row_is_heads(words))
        for cells in rows[1:] if has_heads else rows:
            self.out.add_row(cells, words[0] if has_heads else (), self._where(), section=self.section)
        self.in_list, self.last_words = False, ""

    def _note_texts(self, element: etree._Element) -> None:
        for kind, notes in (("footnote", self.footnotes), ("endnote", self.endnotes)):
            for key in references(element, kind):
                note = notes.pop(key, None)
                for paragraph in note.iter(f"{W}p") if note is not None else ():
                    place = self._where(f"{kind} {key}")
                    self.out.add(BlockKind.PARAGRAPH, tidy(pieces_of(paragraph)), place, section=self.section)


def _cells(row: etree._Element) -> list[list[Piece]]:
    """One entry a column: a cell that spans columns stands in its first, the others are empty."""
    found: list[list[Piece]] = []
    for cell in row.iterchildren(f"{W}tc"):
        found.append(_cell(cell))
        span = cell.find(f"{W}tcPr/{W}gridSpan")
        wide = attribute(span, "val") if span is not None else ""
        found.extend([] for _ in range(min(int(wide), COLUMN_LIMIT) - 1 if wide.isdecimal() else 0))
    return found


def _cell(cell: etree._Element) -> list[Piece]:
    pieces: list[Piece] = []
    for paragraph in cell.iter(f"{W}p"):
        pieces.extend((*pieces_of(paragraph), (" ", "")))
    return tidy(pieces)


def _marks_heads(table: etree._Element) -> bool:
    first = next(table.iterchildren(f"{W}tr"), None)
    return first is not None and first.find(f"{W}trPr/{W}tblHeader") is not None
