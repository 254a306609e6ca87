"""One pass over a page's elements, without recursion: pages nest as deep as their makers like."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from selectolax.lexbor import LexborHTMLParser, LexborNode

from forager.parsing.builder import Piece, TextBuilder, plain, tidy
from forager.parsing.document import BlockKind, Locator
from forager.parsing.htmlhidden import HiddenRules
from forager.parsing.lines import is_continuation
from forager.parsing.placing import section_place, under
from forager.parsing.tables import first_row_is_heads

INLINE_TAGS = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s samp "
    "small span strike strong sub sup time tt u var wbr button input select option output meter progress br"
)
INLINE = frozenset(INLINE_TAGS.split())
UNSEEN_TAGS = "script style head template noscript svg math object embed iframe canvas audio video"
UNSEEN = frozenset(UNSEEN_TAGS.split())
REASONS = {"del": "deleted", "s": "struck", "strike": "struck", "nav": "navigation"}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
KINDS = {
    "li": BlockKind.LIST_ITEM,
    "blockquote": BlockKind.QUOTE,
    "pre": BlockKind.CODE,
    **dict.fromkeys(HEADINGS, BlockKind.HEADING),
}
BREAK = "\v"


@dataclass
class PageWalk:
    """``out`` holds the text; ``opened`` the block elements we are in; ``reasons`` why text is no evidence now."""

    rules: HiddenRules
    place: tuple[str, Locator]
    out: TextBuilder = field(default_factory=TextBuilder)
    title: str = ""
    section: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    kinds: list[BlockKind] = field(default_factory=lambda: [BlockKind.PARAGRAPH])
    reasons: list[str] = field(default_factory=lambda: [""])
    buffer: list[Piece] = field(default_factory=list)
    lead_ins: list[str] = field(default_factory=list)
    last_words: str = ""
    term: list[Piece] = field(default_factory=list)

    @classmethod
    def over(cls, tree: LexborHTMLParser, place: tuple[str, Locator]) -> Self:
        return cls(HiddenRules.of(tree), place)

    def run(self, root: LexborNode) -> None:
        node: LexborNode | None = root
        while node is not None:
            child = node.first_child if self._enter(node) else None
            if child is not None:
                node = child
                continue
            node = self._next(node, root)
        self._flush()

    def _next(self, node: LexborNode, root: LexborNode) -> LexborNode | None:
        """Leaves elements upwards until one has a neighbour."""
        current: LexborNode | None = node
        while current is not None:
            self._leave(current)
            if current.mem_id == root.mem_id:
                return None
            if current.next is not None:
                return current.next
            current = current.parent
        return None

    def _enter(self, node: LexborNode) -> bool:
        tag = node.tag or ""
        if node.is_text_node:
            self.buffer.append((node.text_content or "", self.reasons[-1]))
            return False
        if not node.is_element_node or tag in UNSEEN:
            return False
        self.reasons.append(self._reason(node, tag))
        if tag == "br":
            self.buffer.append((BREAK, self.reasons[-1]))
        if tag not in INLINE:
            self._open(tag)
        if tag == "table" and is_data_table(node):
            self._table(node)
            return False
        return True

    def _reason(self, node: LexborNode, tag: str) -> str:
        if self.reasons[-1]:
            return self.reasons[-1]
        return "hidden" if self.rules.hides(node) else REASONS.get(tag, "")

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if not node.is_element_node or tag in UNSEEN:
            return
        if tag not in INLINE:
            self._close(tag)
        self.reasons.pop()

    def _open(self, tag: str) -> None:
        self._flush()
        self.kinds.append(KINDS.get(tag, self.kinds[-1]))
        if tag in ("ul", "ol"):
            outer = self.lead_ins[-1] if self.lead_ins else ""
            self.lead_ins.append(self.last_words if self.last_words.endswith((":", "：")) else outer)

    def _close(self, tag: str) -> None:
        if tag == "dt":
            self.term, self.buffer = self.buffer, []
        elif tag == "dd":
            self.buffer = [*self.term, (": ", ""), *self.buffer] if self.term else self.buffer
            self.term = []
        self._flush(HEADINGS.get(tag, 0))
        self.kinds.pop()
        if tag in ("ul", "ol"):
            self.lead_ins.pop()
            self.last_words = ""

    def _flush(self, heading: int = 0) -> None:
        pieces, self.buffer = self.buffer, []
        if not any(words.strip() for words, _ in pieces):
            return
        if heading:
            self._heading(tidy(pieces), heading)
        elif self.kinds[-1] is BlockKind.CODE:
            self._add([(words.strip("\r\n").replace(BREAK, "\n"), reason) for words, reason in pieces])
        else:
            for line in _lines(pieces):
                self._add(line)

    def _add(self, pieces: list[Piece]) -> None:
        words = plain(pieces)
        lead_in = self.lead_ins[-1] if self.lead_ins and self.kinds[-1] is BlockKind.LIST_ITEM else ""
        self.out.add(self.kinds[-1], pieces, self._where(), section=self.section, lead_in=lead_in)
        self.last_words = words or self.last_words

    def _heading(self, pieces: list[Piece], level: int) -> None:
        words = plain(pieces)
        if not words:
            self.out.add(BlockKind.HEADING, pieces, self._where())
            return
        self.section, self.levels = under(self.section, self.levels, level)
        kind = BlockKind.TITLE if level == 1 and not self.title else BlockKind.HEADING
        self.title = self.title or (words if level == 1 else "")
        self.out.add(kind, pieces, section_place((*self.section, words)), section=self.section, level=level)
        self.section, self.levels = (*self.section, words), (*self.levels, level)

    def _where(self) -> tuple[str, Locator]:
        return section_place(self.section) if self.section else self.place

    def _table(self, table: LexborNode) -> None:
        rows = list(self._rows(table))
        words = [[plain(cell) for cell in cells] for _, cells in rows]
        has_heads = len(rows) > 0 and (rows[0][0] or first_row_is_heads(words))
        for _, cells in rows[1:] if has_heads else rows:
            self.out.add_row(cells, words[0] if has_heads else (), self._where(), section=self.section)

    def _rows(self, table: LexborNode) -> Iterator[tuple[bool, list[list[Piece]]]]:
        """Whether a row is marked as heads, and one entry a column: what spans stands in its first place."""
        spanned: dict[int, int] = {}
        for row in table.css("tr"):
            found: list[list[Piece]] = []
            cells = [cell for cell in row.iter() if cell.tag in ("td", "th")]
            for cell in cells:
                _fill_spanned(found, spanned)
                start, wide, high = len(found), _span(cell, "colspan"), _span(cell, "rowspan")
                found.extend([self._cell(cell), *([] for _ in range(wide - 1))])
                spanned |= dict.fromkeys(range(start, start + wide), high - 1) if high > 1 else {}
            _fill_spanned(found, spanned)
            if cells:
                yield _is_head(row, cells), found

    def _cell(self, cell: LexborNode) -> list[Piece]:
        found: list[Piece] = []
        outer = self._reason(cell.parent, "tr") if cell.parent else self.reasons[-1]
        for node in _below(cell):
            if node.is_text_node:
                parent = node.parent
                hidden = outer or self._within(node, cell)
                found.append((node.text_content or "", hidden if parent is not None else outer))
            elif node.tag not in INLINE or node.tag == "br":
                found.append((" ", ""))
        return tidy(found)

    def _within(self, node: LexborNode, cell: LexborNode) -> str:
        """The reason why ``node`` is no evidence, looking no higher than its cell and no more than a few steps."""
        at: LexborNode | None = node.parent
        for _ in range(12):
            if at is None:
                return ""
            reason = self._reason(at, at.tag or "")
            if reason or at.mem_id == cell.mem_id:
                return reason
            at = at.parent
        return ""


def is_data_table(table: LexborNode) -> bool:
    """A table that lays out a page holds tables, or has one column or one cell with a whole text in it."""
    if table.css_first("table table, table h1, table h2, table ul, table form") is not None:
        return False
    rows = table.css("tr")[:50]
    widths = [sum(1 for cell in row.iter() if cell.tag in ("td", "th")) for row in rows]
    return bool(widths) and max(widths) > 1


def _is_head(row: LexborNode, cells: list[LexborNode]) -> bool:
    in_head = row.parent is not None and row.parent.tag == "thead"
    return in_head or all(cell.tag == "th" for cell in cells)


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return min(max(int(value), 1), 50) if value.isascii() and value.isdigit() and len(value) < 4 else 1


def _fill_spanned(found: list[list[Piece]], spanned: dict[int, int]) -> None:
    """Leaves the columns empty that a cell of a row above still takes."""
    while spanned.get(len(found), 0) > 0:
        spanned[len(found)] -= 1
        found.append([])


def _below(root: LexborNode) -> Iterator[LexborNode]:
    """Every node under ``root`` in order, scripts and the like left out."""
    node = root.first_child
    while node is not None:
        yield node
        follow = None if node.tag in UNSEEN else node.first_child
        while follow is None and node is not None and node.mem_id != root.mem_id:
            follow = node.next
            if follow is None:
                node = node.parent
        node = follow


def _lines(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """The pieces parted at line breaks, save where a line plainly goes on."""
    line: list[Piece] = []
    for words, reason in pieces:
        if words == BREAK:
            line.append((BREAK, reason))
            continue
        before = plain([piece for piece in line if piece[0] != BREAK])
        if line and line[-1][0] == BREAK and before and not is_continuation(before, words):
            yield tidy([(" ", why) if said == BREAK else (said, why) for said, why in line])
            line = []
        line.append((words.replace(BREAK, " "), reason))
    last = tidy([(" ", why) if said == BREAK else (said, why) for said, why in line])
    if last:
        yield last
