"""XLSX: the rows of every sheet under their heads. Hidden sheets, rows and columns are kept but excluded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from forager.parsing.builder import Piece, TextBuilder
from forager.parsing.dates import of_package
from forager.parsing.document import BlockKind, Document, Ledger, Locator, ParseWarning
from forager.parsing.encoding import storable
from forager.parsing.package import Package, damaged
from forager.parsing.placing import in_order, merged
from forager.parsing.tables import first_row_is_heads
from forager.parsing.xlsxcells import MAIN, CellReader, column_of

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
CORE = "{http://purl.org/dc/terms/}"
ROW_LIMIT = 200_000
COLUMN_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """``words`` by column from 0; ``hidden`` when the row is."""

    number: int
    words: dict[int, str]
    hidden: bool


@dataclass
class _Reading:
    out: TextBuilder = field(default_factory=TextBuilder)
    rows: int = 0
    silent: list[tuple[str, str]] = field(default_factory=list)


def parse_xlsx(content: bytes, name: str) -> Document:
    """Places are sheets with their rows as a person counts them: ``Sheet Stock, row 3``."""
    package = Package(content)
    cells = CellReader.of(package)
    reading = _Reading()
    for sheet in _sheets(package):
        _read_sheet(reading, package, sheet, cells)
    text = reading.out.text
    date, date_from = _document_date(package)
    return Document(
        text=text,
        blocks=in_order(reading.out.blocks, len(text)),
        source_type="xlsx",
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        encoding="utf-8",
        document_date=date,
        document_date_from=date_from,
        excluded=merged(reading.out.excluded, len(text)),
        warnings=_warnings(reading, cells),
        ledger=Ledger("row", reading.rows, reading.rows, 0, tuple(reading.silent)),
    )


def _sheets(package: Package) -> list[_Sheet]:
    root = package.xml("xl/workbook.xml")
    relations = package.xml("xl/_rels/workbook.xml.rels")
    if root is None or relations is None:
        raise damaged("it has no list of sheets")
    targets = {str(r.get("Id")): str(r.get("Target") or "") for r in relations.iter(RELATIONS)}
    found = []
    for sheet in root.iter(f"{MAIN}sheet"):
        target = targets.get(str(sheet.get(RELATION) or ""), "")
        part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        words = " ".join(storable(str(sheet.get("name") or "")).split())
        found.append(_Sheet(words, part, str(sheet.get("state") or "visible") != "visible"))
    return found


def _read_sheet(reading: _Reading, package: Package, sheet: _Sheet, cells: CellReader) -> None:
    root = package.xml(sheet.part)
    if root is None:
        return
    hidden_columns = _hidden_columns(root)
    rows = list(_rows(root, cells))
    width = min(max((max(row.words) + 1 for row in rows if row.words), default=0), COLUMN_LIMIT)
    reading.rows += len(rows)
    if len(rows) >= ROW_LIMIT:
        reading.silent.append((f"Sheet {sheet.name}", f"more than {ROW_LIMIT} rows"))
    table = [_across(row, width) for row in rows]
    start = next((index for index, words in enumerate(table) if sum(map(bool, words)) > 1), 0)
    has_heads = first_row_is_heads([[word for word in words if word] for words in table[start:]][:200])
    for index, row in enumerate(rows):
        heads = table[start] if has_heads and index > start else ()
        if has_heads and index == start:
            reading.out.exclude(" | ".join(table[start]), "")
            continue
        pieces = [_piece(word, row, sheet, column in hidden_columns) for column, word in enumerate(table[index])]
        _add(reading.out, pieces, heads, _place(sheet, row))


def _add(out: TextBuilder, cells: list[list[Piece]], heads: Sequence[str], place: tuple[str, Locator]) -> None:
    """A row of one cell is prose, e.g. the title above a table; a hidden row is text only."""
    filled = [pieces for pieces in cells if pieces]
    if filled and all(reason for pieces in filled for _, reason in pieces):
        out.exclude(" | ".join(pieces[0][0] for pieces in filled), "hidden")
    elif len(filled) == 1 and (not heads or len(cells) > 2):
        out.add(BlockKind.PARAGRAPH, filled[0], place)
    else:
        out.add_row(cells, heads, place)


def _piece(word: str, row: _Row, sheet: _Sheet, column_hidden: bool) -> list[Piece]:
    reason = "hidden" if row.hidden or sheet.hidden or column_hidden else ""
    return [(word, reason)] if word else []


def _place(sheet: _Sheet, row: _Row) -> tuple[str, Locator]:
    return f"Sheet {sheet.name}, row {row.number}", {"kind": "sheet", "sheet": sheet.name, "row": row.number}


def _across(row: _Row, width: int) -> list[str]:
    return [row.words.get(column, "") for column in range(width)]


def _rows(root: etree._Element, cells: CellReader) -> Iterator[_Row]:
    """Rows that hold words; numbers that are left out are counted on from the row before."""
    number = 0
    for count, element in enumerate(root.iter(f"{MAIN}row")):
        if count >= ROW_LIMIT:
            return
        written = str(element.get("r") or "")
        number = int(written) if written.isdecimal() else number + 1
        words: dict[int, str] = {}
        column = -1
        for cell in element.iterchildren(f"{MAIN}c"):
            column = column_of(str(cell.get("r") or ""), column + 1)
            word = cells.words(cell) if column < COLUMN_LIMIT else ""
            if word:
                words[column] = word
        if words:
            yield _Row(number, words, element.get("hidden") in ("1", "true"))


def _hidden_columns(root: etree._Element) -> frozenset[int]:
    found: set[int] = set()
    for column in root.iter(f"{MAIN}col"):
        low, high = str(column.get("min") or ""), str(column.get("max") or "")
        if column.get("hidden") in ("1", "true") and low.isdecimal() and high.isdecimal():
            found.update(range(int(low) - 1, min(int(high), COLUMN_LIMIT)))
    return frozenset(found)


def _document_date(package: Package) -> tuple[str, str]:
    core = package.xml("docProps/core.xml")
    if core is None:
        return "", ""
    return of_package((tag, core.findtext(f"{CORE}{tag}") or "") for tag in ("modified", "created"))


def _warnings(reading: _Reading, cells: CellReader) -> tuple[ParseWarning, ...]:
    found = []
    if cells.uncomputed:
        message = f"{cells.uncomputed} formulas have no stored result and were not read."
        found.append(ParseWarning("formula_without_result", message, "", "Open it in a spreadsheet and save it again."))
    if reading.out.excluded:
        message = "Hidden sheets, rows or columns are kept but are no evidence."
        found.append(ParseWarning("hidden_cells", message))
    return tuple(found)
