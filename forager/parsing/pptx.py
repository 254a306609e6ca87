"""PPTX: slides in their order with titles, text, tables and speaker notes. Hidden slides are kept but excluded."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath

from lxml import etree

from forager.parsing.builder import Piece, TextBuilder, plain, tidy
from forager.parsing.dates import of_package
from forager.parsing.document import BlockKind, Document, Ledger, Locator, ParseWarning
from forager.parsing.package import Package, damaged
from forager.parsing.placing import in_order, merged
from forager.parsing.tables import first_row_is_heads
from forager.parsing.text import invisible_warning

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
DCTERMS = "{http://purl.org/dc/terms/}"
TITLES = frozenset(("title", "ctrTitle"))
LAYOUT_ONLY = frozenset(("sldNum", "dt", "ftr", "hdr"))
SLIDE_LIMIT = 2_000


def parse_pptx(content: bytes, name: str) -> Document:
    """Places are slides, and the notes of a slide: ``Slide 3, notes``."""
    package = Package(content)
    parts = _slide_parts(package)
    walk = _Walk(package)
    for number, part in enumerate(parts[:SLIDE_LIMIT], 1):
        walk.slide(number, part)
    text = walk.out.text
    date, date_from = _document_date(package)
    if len(parts) > SLIDE_LIMIT:
        walk.silent.append((f"Slides {SLIDE_LIMIT + 1}-{len(parts)}", "more slides than are read"))
    return Document(
        text=text,
        blocks=in_order(walk.out.blocks, len(text)),
        source_type="pptx",
        media_type="application/vnd.openxmlformats-officedocument.presentationml.presentation",
        title=walk.title,
        encoding="utf-8",
        document_date=date,
        document_date_from=date_from,
        excluded=merged(walk.out.excluded, len(text)),
        warnings=(*walk.warnings, *invisible_warning(text)),
        ledger=Ledger("slide", len(parts), min(len(parts), SLIDE_LIMIT), 0, tuple(walk.silent)),
    )


def _slide_parts(package: Package) -> list[str]:
    root = package.xml("ppt/presentation.xml")
    if root is None:
        raise damaged("it has no list of slides")
    targets = _targets(package, "ppt/presentation.xml")
    found = (targets.get(str(slide.get(f"{R}id") or ""), ("", ""))[1] for slide in root.iter(f"{P}sldId"))
    return [part for part in found if part]


def _targets(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Kind and part of what ``part`` refers to, by id."""
    folder, base = dirname(part), part.rsplit("/", 1)[-1]
    root = package.xml(f"{folder}/_rels/{base}.rels")
    found = {}
    for relation in root.iter(RELATION) if root is not None else ():
        target = str(relation.get("Target") or "")
        inside = target.lstrip("/") if target.startswith("/") else normpath(join(folder, target))
        found[str(relation.get("Id"))] = (str(relation.get("Type") or "").rsplit("/", 1)[-1], inside)
    return found


def _document_date(package: Package) -> tuple[str, str]:
    core = package.xml("docProps/core.xml")
    if core is None:
        return "", ""
    return of_package((tag, core.findtext(f"{DCTERMS}{tag}") or "") for tag in ("modified", "created"))


@dataclass
class _Walk:
    package: Package
    out: TextBuilder = field(default_factory=TextBuilder)
    title: str = ""
    warnings: list[ParseWarning] = field(default_factory=list)
    silent: list[tuple[str, str]] = field(default_factory=list)

    def slide(self, number: int, part: str) -> None:
        root = self.package.xml(part)
        if root is None:
            return
        reason = "hidden" if root.get("show") in ("0", "false") else ""
        if reason:
            message = f"Slide {number} is hidden; its text is kept but is no evidence."
            self.warnings.append(ParseWarning("hidden_slide", message, f"Slide {number}"))
        before = self.out.length
        heading = self._shapes(root, number, reason)
        if self.out.length == before:
            self.silent.append((f"Slide {number}", "the slide has no text"))
        for kind, target in _targets(self.package, part).values():
            notes = self.package.xml(target) if kind == "notesSlide" else None
            if notes is not None:
                self._notes(notes, number, reason, heading)

    def _shapes(self, root: etree._Element, number: int, reason: str) -> str:
        """The slide's text; its title comes first wherever it stands, and heads the rest."""
        shapes = sorted(_shapes(root), key=lambda shape: _placeholder(shape) not in TITLES)
        heading = ""
        for shape in shapes:
            kind = _placeholder(shape)
            if kind in LAYOUT_ONLY:
                continue
            for paragraph in _paragraphs(shape):
                pieces = _with_reason(paragraph, reason)
                if kind in TITLES and not heading:
                    heading = plain(tidy([(words, "") for words, _ in pieces]))
                    self.title = self.title or ("" if reason else heading)
                    self.out.add(BlockKind.HEADING, pieces, _place(number), level=1)
                else:
                    item = BlockKind.LIST_ITEM if kind == "body" else BlockKind.PARAGRAPH
                    self.out.add(item, pieces, _place(number), section=_path(heading))
            for table in shape.iter(f"{A}tbl"):
                self._table(table, number, reason, heading)
        return heading

    def _table(self, table: etree._Element, number: int, reason: str, heading: str) -> None:
        rows = [[_cell(cell, reason) for cell in row.iterchildren(f"{A}tc")] for row in table.iterchildren(f"{A}tr")]
        words = [["".join(word for word, _ in cell) for cell in cells] for cells in rows]
        has_heads = first_row_is_heads(words)
        for cells in rows[1:] if has_heads else rows:
            if reason:
                self.out.exclude(" | ".join("".join(word for word, _ in cell) for cell in cells), reason)
            else:
                self.out.add_row(cells, words[0] if has_heads else (), _place(number), section=_path(heading))

    def _notes(self, root: etree._Element, number: int, reason: str, heading: str) -> None:
        for shape in _shapes(root):
            if _placeholder(shape) != "body":
                continue
            for paragraph in _paragraphs(shape):
                pieces = _with_reason(paragraph, reason)
                self.out.add(BlockKind.PARAGRAPH, pieces, _place(number, "notes"), section=_path(heading))


def _place(number: int, part: str = "") -> tuple[str, Locator]:
    if part:
        return f"Slide {number}, {part}", {"kind": "slide", "slide": number, "part": part}
    return f"Slide {number}", {"kind": "slide", "slide": number}


def _path(heading: str) -> tuple[str, ...]:
    return (heading,) if heading else ()


def _shapes(root: etree._Element) -> Iterator[etree._Element]:
    return root.iter(f"{P}sp", f"{P}graphicFrame")


def _placeholder(shape: etree._Element) -> str:
    """The kind of a placeholder; 'body' for one without kind, "" for a free shape."""
    element = next(shape.iter(f"{P}ph"), None)
    return "" if element is None else str(element.get("type") or "body")


def _paragraphs(shape: etree._Element) -> Iterator[list[Piece]]:
    """Text of a shape itself; a table's cells are read as rows."""
    body = shape.find(f"{P}txBody")
    for paragraph in body.iterchildren(f"{A}p") if body is not None else ():
        pieces = _pieces(paragraph)
        if pieces:
            yield pieces


def _pieces(paragraph: etree._Element) -> list[Piece]:
    words = (element.text or "" if element.tag == f"{A}t" else " " for element in paragraph.iter(f"{A}t", f"{A}br"))
    return tidy([(word, "") for word in words])


def _cell(cell: etree._Element, reason: str) -> list[Piece]:
    found: list[Piece] = []
    for paragraph in cell.iter(f"{A}p"):
        found.extend((*_pieces(paragraph), (" ", "")))
    return _with_reason(tidy(found), reason)


def _with_reason(pieces: list[Piece], reason: str) -> list[Piece]:
    return [(words, reason) for words, _ in pieces] if reason else pieces
