"""ODT: paragraphs, headings, lists, tables and notes in reading order; tracked deletions are not read."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from forager.parsing.builder import Piece, TextBuilder, plain, tidy
from forager.parsing.dates import of_package
from forager.parsing.document import BlockKind, Document, Locator
from forager.parsing.encoding import storable
from forager.parsing.officefile import BODY_PLACE, assembled
from forager.parsing.package import Package, damaged
from forager.parsing.placing import section_place, under
from forager.parsing.tables import first_row_is_heads

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
UNREAD = frozenset((f"{TEXT}tracked-changes", f"{OFFICE}annotation", f"{TEXT}note", f"{TEXT}sequence-decls"))
BLOCKS = frozenset((f"{TEXT}p", f"{TEXT}h", f"{TEXT}list", f"{TABLE}table"))
REPEAT_LIMIT = 200


def parse_odt(content: bytes, name: str) -> Document:
    """Places are sections; notes and comments stand right behind the paragraph they hang on."""
    package = Package(content)
    root = package.xml("content.xml")
    body = root.find(f"{OFFICE}body/{OFFICE}text") if root is not None else None
    if body is None:
        raise damaged("it has no text body")
    walk = _Walk()
    walk.run(body)
    meta = package.xml("meta.xml")
    stamps = (("modified", f"{DC}date"), ("created", f"{META}creation-date"))
    return assembled(
        walk.out,
        source_type="odt",
        media_type="application/vnd.oasis.opendocument.text",
        title=_meta(meta, f"{DC}title") or walk.title,
        dates=of_package((said, _meta(meta, tag)) for said, tag in stamps),
        paragraphs=walk.paragraphs,
    )


def _meta(meta: etree._Element | None, tag: str) -> str:
    element = meta.find(f"{OFFICE}meta/{tag}") if meta is not None else None
    return " ".join(storable(element.text or "").split()) if element is not None else ""


@dataclass
class _Walk:
    out: TextBuilder = field(default_factory=TextBuilder)
    title: str = ""
    section: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    last_words: str = ""
    paragraphs: int = 0

    def run(self, root: etree._Element, *, lead_in: str | None = None) -> None:
        """``lead_in`` is the sentence a list hangs under, None outside lists."""
        for element in _blocks(root):
            if element.tag == f"{TEXT}list":
                outer = self.last_words if self.last_words.endswith((":", "：")) else lead_in or ""
                self.run(element, lead_in=outer)
                self.last_words = ""
            elif element.tag == f"{TABLE}table":
                self._table(element)
            elif element.tag == f"{TEXT}h":
                self._heading(element)
            else:
                self._paragraph(element, lead_in)
            for note in _notes(element):
                self.run(note)

    def _paragraph(self, element: etree._Element, lead_in: str | None) -> None:
        self.paragraphs += 1
        pieces = tidy(_pieces(element))
        kind = BlockKind.PARAGRAPH if lead_in is None else BlockKind.LIST_ITEM
        if pieces:
            self.out.add(kind, pieces, self._where(), section=self.section, lead_in=lead_in or "")
            self.last_words = plain(pieces)

    def _heading(self, element: etree._Element) -> None:
        words = plain(tidy(_pieces(element)))
        if not words:
            return
        written = str(element.get(f"{TEXT}outline-level") or "1")
        level = int(written) if written.isdecimal() else 1
        self.section, self.levels = under(self.section, self.levels, level)
        place = section_place((*self.section, words))
        self.out.add(BlockKind.HEADING, [(words, "")], place, section=self.section, level=level)
        self.section, self.levels = (*self.section, words), (*self.levels, level)
        self.title = self.title or words
        self.last_words = ""

    def _table(self, table: etree._Element) -> None:
        rows = [_cells(row) for row in table.iter(f"{TABLE}table-row")]
        words = [[plain(cell) for cell in cells] for cells in rows]
        has_heads = first_row_is_heads(words)
        for cells in rows[1:] if has_heads else rows:
            self.out.add_row(cells, words[0] if has_heads else (), self._where(), section=self.section)
        self.last_words = ""

    def _where(self) -> tuple[str, Locator]:
        return section_place(self.section) if self.section else BODY_PLACE


def _blocks(root: etree._Element) -> Iterator[etree._Element]:
    """Blocks below ``root`` in order, through sections, list items and frames, not into one another."""
    pending = list(reversed(list(root)))
    while pending:
        element = pending.pop()
        if element.tag in BLOCKS:
            yield element
        elif element.tag not in UNREAD and isinstance(element.tag, str):
            pending.extend(reversed(list(element)))


def _pieces(paragraph: etree._Element) -> list[Piece]:
    """Words of a paragraph; spaces and tabs have elements of their own."""
    pieces: list[Piece] = [(paragraph.text or "", "")]
    pending: list[etree._Element | str] = list(reversed(list(paragraph)))
    while pending:
        element = pending.pop()
        if isinstance(element, str):
            pieces.append((element, ""))
            continue
        pending.append(element.tail or "")
        if element.tag in (f"{TEXT}s", f"{TEXT}tab", f"{TEXT}line-break"):
            pieces.append((" ", ""))
        elif element.tag not in UNREAD and isinstance(element.tag, str):
            pieces.append((element.text or "", ""))
            pending.extend(reversed(list(element)))
    return pieces


def _notes(element: etree._Element) -> Iterator[etree._Element]:
    if element.tag in (f"{TEXT}p", f"{TEXT}h"):
        yield from element.iter(f"{TEXT}note-body", f"{OFFICE}annotation")


def _cells(row: etree._Element) -> list[list[Piece]]:
    """One entry a column; covered and repeated empty cells keep their places."""
    found: list[list[Piece]] = []
    for cell in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
        pieces: list[Piece] = []
        for paragraph in cell.iter(f"{TEXT}p", f"{TEXT}h"):
            pieces.extend((*_pieces(paragraph), (" ", "")))
        repeated = str(cell.get(f"{TABLE}number-columns-repeated") or "1")
        count = min(int(repeated), REPEAT_LIMIT) if repeated.isdecimal() else 1
        found.extend(tidy(pieces) for _ in range(max(count, 1)))
    return found
