"""Comma, semicolon, tab or pipe separated values. The text is kept raw; every cell knows its place in it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from forager.parsing.document import Block, BlockKind, Cell, Document, Ledger, ParseWarning
from forager.parsing.encoding import decode
from forager.parsing.text import invisible_warning

DELIMITERS = (",", ";", "\t", "|")
SNIFF_LINES = 30
SNIFF_CHARACTERS = 200_000
ROW_LIMIT = 200_000
CELL_LIMIT = 5_000_000
NUMERIC = re.compile(r"[-+]?[\d\s.,:%/€$£-]+$")

type Span = tuple[int, int]


def parse_csv(content: bytes, name: str) -> Document:
    """Row locators as a spreadsheet counts them: the header is row 1."""
    decoded = decode(content)
    text = decoded.text
    delimiter = sniff_delimiter(text) or ("\t" if name.lower().endswith(".tsv") else ",")
    rows, complete = _bounded(rows_of(text, delimiter))
    head = _header_index(text, rows)
    heads = _heads(text, rows[head]) if head is not None else ()
    blocks = tuple(_blocks(text, rows, head, heads))
    warnings = [*decoded.warnings, *invisible_warning(text)]
    if not any(block.kind is BlockKind.TABLE_ROW for block in blocks):
        warnings.append(ParseWarning("no_rows", "The table has a header but no rows."))
    beyond = () if complete else ((f"Rows after {len(rows)}", "more rows than are read of one file"),)
    return Document(
        text=text,
        blocks=blocks,
        source_type="csv",
        media_type="text/tab-separated-values" if delimiter == "\t" else "text/csv",
        encoding=decoded.encoding,
        warnings=tuple(warnings),
        ledger=Ledger("row", len(rows), len(rows), 0, beyond),
    )


def sniff_delimiter(text: str) -> str:
    """The delimiter that cuts the first rows into the same number of cells, "" when none does."""
    sample = text[:SNIFF_CHARACTERS]
    best, best_score = "", 0.0
    for delimiter in DELIMITERS:
        widths = _widths(sample, delimiter)
        width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
        score = count / len(widths) * min(width, 50) if width > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def is_table(text: str) -> bool:
    """Whether text of unknown type is a table: three rows or more, all of one width, no long cells."""
    delimiter = sniff_delimiter(text)
    if not delimiter:
        return False
    widths = _widths(text[:SNIFF_CHARACTERS], delimiter)
    first = text.splitlines()[0] if text else ""
    short = all(len(cell) <= 60 for cell in first.split(delimiter))
    return len(widths) >= 3 and min(widths) == max(widths) and short and (delimiter != "," or widths[0] >= 3)


def _widths(sample: str, delimiter: str) -> list[int]:
    rows = rows_of(sample, delimiter)
    return [len(row) for _, row in zip(range(SNIFF_LINES), rows, strict=False) if row]


def rows_of(text: str, delimiter: str) -> Iterator[list[Span]]:
    """Each row's cells as spans of the raw text, quotes left outside; quoted cells may hold line ends."""
    field = _field_pattern(delimiter)
    row: list[Span] = []
    at = 0
    while at < len(text):
        match = field.match(text, at)
        if match is None:
            return
        group = "quoted" if match["quoted"] is not None else "bare"
        row.append(_stripped(text, *match.span(group)))
        ending = match["q"] if group == "quoted" else match["b"]
        if ending != delimiter:
            yield row
            row = []
            if not ending:
                return
        at = match.end()
    if row:
        yield [*row, (len(text), len(text))]


def _field_pattern(delimiter: str) -> re.Pattern[str]:
    cut = re.escape(delimiter)
    ending = rf"{cut}|\r\n|\r|\n|\Z"
    quoted = rf'[ ]*"(?P<quoted>(?:[^"]|"")*+)"[^{cut}\r\n]*+(?P<q>{ending})'
    return re.compile(rf"{quoted}|(?P<bare>[^{cut}\r\n]*+)(?P<b>{ending})")


def _stripped(text: str, start: int, end: int) -> Span:
    body = text[start:end]
    inner = body.strip()
    begin = start + len(body) - len(body.lstrip()) if inner else start
    return begin, begin + len(inner)


def _bounded(rows: Iterator[list[Span]]) -> tuple[list[list[Span]], bool]:
    kept: list[list[Span]] = []
    cells = 0
    for row in rows:
        if len(kept) >= ROW_LIMIT or cells >= CELL_LIMIT:
            return kept, False
        kept.append(row)
        cells += len(row)
    return kept, True


def _outside_quote(text: str, edge: int, step: int) -> int:
    """The edge of a row moved over the quote of its outermost cell, so that the row is shown whole."""
    beside = edge - 1 if step < 0 else edge
    return edge + step if 0 <= beside < len(text) and text[beside] == '"' else edge


def _filled(row: Sequence[Span]) -> int:
    return sum(1 for start, end in row if end > start)


def _header_index(text: str, rows: Sequence[Sequence[Span]]) -> int | None:
    """The first row as wide as most rows, when its cells are words; rows above it are notes about the table."""
    wide = Counter(len(row) for row in rows[:200] if _filled(row)).most_common(1)
    for index, row in enumerate(rows[:20]):
        if not _filled(row) or (wide and wide[0][0] > 1 and _filled(row) < 2):
            continue
        words = [text[start:end] for start, end in row if end > start]
        is_head = not any(NUMERIC.match(word) for word in words) and all(len(word) <= 80 for word in words)
        return index if is_head else None
    return None


def _heads(text: str, row: Sequence[Span]) -> tuple[str, ...]:
    """Column heads; a head that comes twice is told apart by a number."""
    seen: Counter[str] = Counter()
    heads = []
    for start, end in row:
        words = " ".join(text[start:end].replace('""', '"').split())
        seen[words] += 1
        heads.append(f"{words} ({seen[words]})" if words and seen[words] > 1 else words)
    return tuple(heads)


def _blocks(text: str, rows: Sequence[Sequence[Span]], head: int | None, heads: tuple[str, ...]) -> Iterator[Block]:
    for index, row in enumerate(rows):
        if index == head or not _filled(row):
            continue
        above = head is not None and index < head
        cells = tuple(
            Cell(heads[column] if column < len(heads) else "", start, end) for column, (start, end) in enumerate(row)
        )
        yield Block(
            start=_outside_quote(text, min(start for start, _ in row), -1),
            end=_outside_quote(text, max(end for _, end in row), 1),
            kind=BlockKind.PARAGRAPH if above else BlockKind.TABLE_ROW,
            location=f"Row {index + 1}",
            locator={"kind": "row", "row": index + 1},
            cells=() if above else cells,
        )
