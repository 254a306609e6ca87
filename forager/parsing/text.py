"""Plain text. The text is kept as decoded; blocks are paragraphs, list items, key-value lines and headings."""

from forager.parsing.dates import stated_near_top
from forager.parsing.document import Block, BlockKind, Document, Ledger, ParseWarning
from forager.parsing.encoding import decode
from forager.parsing.lines import Group, Line, group_lines, lead_in_before, split_lines

INVISIBLE = frozenset("\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069")
LINE_LIMIT = 200_000
"""Lines read of one file; what lies beyond is reported, never dropped in silence."""


def parse_text(content: bytes, name: str) -> Document:
    """Line locators, counted from 1 at every line end Unicode knows."""
    decoded = decode(content)
    text = decoded.text
    lines = split_lines(text)
    read = lines[:LINE_LIMIT]
    groups = tuple(group_lines(text, read, headings=True))
    blocks = _blocks(text, groups)
    stated, stated_from = stated_near_top(text[line.start : line.end] for line in lines)
    return Document(
        text=text,
        blocks=blocks,
        source_type="txt",
        media_type="text/plain",
        title=next((text[b.start : b.end] for b in blocks[:1] if b.kind is BlockKind.TITLE), ""),
        encoding=decoded.encoding,
        document_date=stated,
        document_date_from=stated_from,
        warnings=(*decoded.warnings, *invisible_warning(text)),
        ledger=Ledger("line", len(lines), len(read), len(lines) - len(read), _beyond(lines)),
    )


def invisible_warning(text: str) -> tuple[ParseWarning, ...]:
    """One warning when the text holds zero-width or direction-changing characters."""
    if INVISIBLE.isdisjoint(text):
        return ()
    message = "The text holds zero-width or direction-changing characters that a reader cannot see."
    return (
        ParseWarning("invisible_characters", message, "", "Look at the text with them shown before relying on it."),
    )


def line_location(first: Line, last: Line) -> str:
    return f"Line {first.number}" if first.number == last.number else f"Lines {first.number}-{last.number}"


def _beyond(lines: tuple[Line, ...]) -> tuple[tuple[str, str], ...]:
    if len(lines) <= LINE_LIMIT:
        return ()
    return ((f"Lines {LINE_LIMIT + 1}-{len(lines)}", f"more than {LINE_LIMIT} lines"),)


def _blocks(text: str, groups: tuple[Group, ...]) -> tuple[Block, ...]:
    leads = lead_in_before(text, groups)
    blocks: list[Block] = []
    section: tuple[str, ...] = ()
    title = ""
    for group in groups:
        kind, level = group.kind, 0
        if kind is BlockKind.HEADING:
            words = text[group.start : group.end].strip()
            if not blocks:
                kind, level, title, section = BlockKind.TITLE, 1, words, ()
            else:
                level, section = 2, (title,) if title else ()
        blocks.append(_block(group, kind, level, section, leads.get(group.start, "")))
        if kind is BlockKind.TITLE:
            section = (title,)
        elif kind is BlockKind.HEADING:
            section = (*section, text[group.start : group.end].strip())
    return tuple(blocks)


def _block(group: Group, kind: BlockKind, level: int, section: tuple[str, ...], lead_in: str) -> Block:
    return Block(
        start=group.start,
        end=group.end,
        kind=kind,
        location=line_location(group.first, group.last),
        locator={"kind": "line", "line": group.first.number, "last": group.last.number},
        section=section,
        level=level,
        lead_in=lead_in,
        cells=group.cells,
    )
