"""Markdown. The text is kept as written, markup and all; markdown-it's line maps place the blocks in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from forager.parsing.dates import read_date, stated_near_top
from forager.parsing.document import Block, BlockKind, Cell, Document, Excluded, Ledger, Locator
from forager.parsing.encoding import decode
from forager.parsing.frontmatter import FrontMatter, read_front_matter
from forager.parsing.lines import Line, group_lines, key_value_cell
from forager.parsing.placing import in_order, merged, section_place, under
from forager.parsing.text import invisible_warning

CELL_BREAK = re.compile(r"(?<!\\)\|")
LINE_END = re.compile(r"\r\n|\r|\n")
DATE_FIELDS = ("date", "updated", "last_updated", "last-updated", "created", "datum")


def parse_markdown(content: bytes, name: str) -> Document:
    """Section locators where there are headings, else line locators."""
    decoded = decode(content)
    text = decoded.text
    front = read_front_matter(text)
    walk = _Walk(text, _lines(text), front.lines)
    walk.run(MarkdownIt("commonmark").enable("table").parse(LINE_END.sub("\n", text[front.end :])))
    date, date_from = _document_date(text, front)
    blocks = in_order((*front.blocks, *walk.blocks), len(text))
    return Document(
        text=text,
        blocks=blocks,
        source_type="markdown",
        media_type="text/markdown",
        title=front.metadata.get("title", "") or walk.title,
        encoding=decoded.encoding,
        document_date=date,
        document_date_from=date_from,
        metadata=front.metadata,
        excluded=merged(_comments(text), len(text)),
        warnings=(*decoded.warnings, *front.warnings, *invisible_warning(text)),
        ledger=Ledger("line", len(walk.lines), len(walk.lines)),
    )


def _comments(text: str) -> Iterator[Excluded]:
    """Comments, found by looking for their ends once each: an unclosed one is no comment."""
    end = 0
    while (start := text.find("<!--", end)) >= 0:
        closing = text.find("-->", start + 4)
        if closing < 0:
            return
        end = closing + 3
        yield Excluded(start, end, "hidden")


def _lines(text: str) -> tuple[Line, ...]:
    """Lines as markdown counts them; trailing blanks are not part of a line."""
    lines, start = [], 0
    for number, body in enumerate(LINE_END.split(text), 1):
        lines.append(Line(start, start + len(body.rstrip()), number))
        match = LINE_END.match(text, start + len(body))
        start = match.end() if match else start + len(body)
    return tuple(lines)


def _document_date(text: str, front: FrontMatter) -> tuple[str, str]:
    for field_name in DATE_FIELDS:
        found = read_date(front.metadata.get(field_name, ""))
        if found:
            return found, f"front matter: {field_name}"
    return stated_near_top(text[front.end : front.end + 4000].splitlines())


@dataclass
class _Walk:
    """Goes through the tokens once; ``shift`` is the number of front matter lines before the first token's line."""

    text: str
    lines: Sequence[Line]
    shift: int
    blocks: list[Block] = field(default_factory=list)
    title: str = ""
    section: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    quote_depth: int = 0
    item_start: bool = False
    lead_ins: list[str] = field(default_factory=list)
    last_words: str = ""
    heading: int = 0
    heads: list[str] = field(default_factory=list)
    in_head: bool = False
    row_line: int = -1

    def run(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            self._see(token)

    def _see(self, token: Token) -> None:
        kind = token.type
        if kind in ("blockquote_open", "blockquote_close"):
            self.quote_depth += token.nesting
        elif kind in ("thead_open", "thead_close"):
            self.in_head = token.nesting == 1
        elif kind == "heading_open":
            self.heading = int(token.tag[1])
        elif kind == "tr_open":
            self._row(token)
        elif kind in ("fence", "code_block"):
            self._code(token)
        elif kind == "inline" and token.map and token.map[0] != self.row_line:
            self._inline(token)
        else:
            self._list(kind)

    def _list(self, kind: str) -> None:
        if kind in ("bullet_list_open", "ordered_list_open"):
            self.lead_ins.append(self.last_words if self.last_words.endswith((":", "：")) else self._outer_lead())
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.lead_ins.pop()
            self.last_words = ""
        elif kind == "list_item_open":
            self.item_start = True

    def _outer_lead(self) -> str:
        return self.lead_ins[-1] if self.lead_ins else ""

    def _span(self, token: Token) -> tuple[Line, Line]:
        first, last = token.map or [0, 1]
        final = len(self.lines) - 1
        return self.lines[min(first + self.shift, final)], self.lines[min(max(first, last - 1) + self.shift, final)]

    def _inline(self, token: Token) -> None:
        first, last = self._span(token)
        start, end = self._content_span(token.content, first, last)
        words = " ".join(token.content.split())
        if self.heading:
            self._heading(start, end, words, first)
        else:
            self._prose(start, end, first, last)
            self.last_words = words
        self.heading, self.item_start = 0, False

    def _content_span(self, content: str, first: Line, last: Line) -> tuple[int, int]:
        """Where the content's first and last line stand, without list marks, quote marks and heading signs."""
        pieces = content.strip().split("\n")
        start = self.text.find(pieces[0].strip(), first.start, first.end)
        end = self.text.rfind(pieces[-1].strip(), last.start, last.end)
        begin = start if start >= 0 else first.start
        return begin, max(begin, end + len(pieces[-1].strip()) if end >= 0 else last.end)

    def _heading(self, start: int, end: int, words: str, line: Line) -> None:
        self.section, self.levels = under(self.section, self.levels, self.heading)
        kind = BlockKind.TITLE if self.heading == 1 and not self.title else BlockKind.HEADING
        if kind is BlockKind.TITLE:
            self.title = words
        location, locator = section_place((*self.section, words))
        self.blocks.append(Block(start, end, kind, location, locator, self.section, self.heading))
        self.section, self.levels = (*self.section, words), (*self.levels, self.heading)
        self.last_words = ""

    def _prose(self, start: int, end: int, first: Line, last: Line) -> None:
        parts = [line for line in self.lines[first.number - 1 : last.number] if line.end > line.start]
        if self.quote_depth:
            self._add(start, end, BlockKind.QUOTE, first)
        elif self.item_start:
            cell = key_value_cell(self.text, first) if first is last else None
            kind = BlockKind.KEY_VALUE if cell else BlockKind.LIST_ITEM
            self._add(start, end, kind, first, lead_in=self._outer_lead(), cells=(cell,) if cell else ())
        elif any(key_value_cell(self.text, line) for line in parts):
            for group in group_lines(self.text, parts, headings=False):
                self._add(group.start, group.end, group.kind, group.first, cells=group.cells)
        else:
            self._add(start, end, BlockKind.PARAGRAPH, first)

    def _code(self, token: Token) -> None:
        first, last = self._span(token)
        if token.type == "fence":
            inside = self.lines[first.number : last.number - 1] or ()
            if not inside:
                return
            first, last = inside[0], inside[-1]
        self._add(first.start, last.end, BlockKind.CODE, first)

    def _row(self, token: Token) -> None:
        line, _ = self._span(token)
        self.row_line = token.map[0] if token.map else -1
        cells = self._cells(line)
        if self.in_head:
            self.heads = [self.text[start:end] for start, end in cells]
            return
        heads = self.heads + [""] * len(cells)
        placed = tuple(Cell(heads[i], start, end) for i, (start, end) in enumerate(cells))
        if placed:
            self._add(placed[0].start, placed[-1].end, BlockKind.TABLE_ROW, line, cells=placed)

    def _cells(self, line: Line) -> list[tuple[int, int]]:
        raw = self.text[line.start : line.end]
        left = line.start + len(raw) - len(raw.lstrip("> \t|"))
        edges = [left, *(m.start() for m in CELL_BREAK.finditer(self.text, left, line.end)), line.end]
        spans = []
        for index, (begin, stop) in enumerate(pairwise(edges)):
            inner = self.text[begin + (index > 0) : stop]
            start = begin + (index > 0) + len(inner) - len(inner.lstrip())
            spans.append((start, max(start, start + len(inner.strip()))))
        return spans[:-1] if raw.endswith("|") and len(spans) > 1 else spans

    def _add(
        self, start: int, end: int, kind: BlockKind, line: Line, *, lead_in: str = "", cells: tuple[Cell, ...] = ()
    ) -> None:
        location, locator = self._place(line)
        self.blocks.append(Block(start, end, kind, location, locator, self.section, lead_in=lead_in, cells=cells))

    def _place(self, line: Line) -> tuple[str, Locator]:
        if self.section:
            location, locator = section_place(self.section)
            return location, {**locator, "line": line.number}
        return f"Line {line.number}", {"kind": "line", "line": line.number}
