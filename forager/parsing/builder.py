"""Builds the one stored text of a packaged format: pieces are added in reading order and never edited after."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from forager.parsing.document import Block, BlockKind, Cell, Excluded, Locator
from forager.parsing.encoding import storable
from forager.parsing.lines import Line, key_value_cell

BLANKS = re.compile(r"[ \t\r\n\f\v]+")

type Piece = tuple[str, str]
"""Words and the reason they are no evidence ("" when they are)."""


@dataclass
class TextBuilder:
    """Each block stands on its own line or lines; cells of a row are parted by a bar."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(
        self,
        kind: BlockKind,
        pieces: Sequence[Piece],
        place: tuple[str, Locator],
        *,
        section: tuple[str, ...] = (),
        level: int = 0,
        lead_in: str = "",
    ) -> None:
        """One block; a block that is excluded as a whole is text only. A 'key: value' line is known as one."""
        start = self.length
        if not any(reason for _, reason in pieces):
            pieces = [("".join(words for words, _ in pieces), "")]
        for words, reason in pieces:
            self._put(words, reason)
        end = self.length
        self._put("\n", "")
        if end == start or all(reason for words, reason in pieces if words.strip()):
            return
        cell = self._key_value(kind, start, end)
        kind = BlockKind.KEY_VALUE if cell else kind
        cells = (cell,) if cell else ()
        self.blocks.append(Block(start, end, kind, place[0], place[1], section, level, lead_in, cells))

    def _key_value(self, kind: BlockKind, start: int, end: int) -> Cell | None:
        if kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM):
            return None
        words = self.parts[-2] if len(self.parts) > 1 and end - start == len(self.parts[-2]) else ""
        cell = key_value_cell(words, Line(0, len(words), 1)) if "\n" not in words else None
        return Cell(cell.head, start + cell.start, start + cell.end) if cell else None

    def add_key_value(self, key: str, value: str, place: tuple[str, Locator], *, section: tuple[str, ...] = ()) -> None:
        start = self.length
        self._put(f"{key}: ", "")
        cell = Cell(key, self.length, self.length + len(value))
        self._put(value, "")
        self.blocks.append(Block(start, self.length, BlockKind.KEY_VALUE, place[0], place[1], section, cells=(cell,)))
        self._put("\n", "")

    def add_row(
        self,
        cells: Sequence[Sequence[Piece]],
        heads: Sequence[str],
        place: tuple[str, Locator],
        *,
        section: tuple[str, ...] = (),
    ) -> None:
        """A table row; rows without any words are left out."""
        if not any(words.strip() for pieces in cells for words, _ in pieces):
            return
        start = self.length
        placed = []
        for index, pieces in enumerate(cells):
            if index:
                self._put(" | ", "")
            begin = self.length
            for words, reason in pieces:
                self._put(words, reason)
            placed.append(Cell(heads[index] if index < len(heads) else "", begin, self.length))
        self.blocks.append(
            Block(start, self.length, BlockKind.TABLE_ROW, place[0], place[1], section, cells=tuple(placed))
        )
        self._put("\n", "")

    def exclude(self, words: str, reason: str) -> None:
        """Text that is kept and shown but makes no block."""
        self._put(words, reason)
        self._put("\n", "")

    def _put(self, words: str, reason: str) -> None:
        words = storable(words)
        if reason and words:
            self.excluded.append(Excluded(self.length, self.length + len(words), reason))
        self.parts.append(words)
        self.length += len(words)


def tidy(pieces: Sequence[Piece]) -> list[Piece]:
    """Runs of blanks become one, across pieces; no blank at either end."""
    found: list[Piece] = []
    blank_before = True
    for words, reason in pieces:
        body = BLANKS.sub(" ", words)
        if blank_before:
            body = body.lstrip(" ")
        if body:
            found.append((body, reason))
            blank_before = body.endswith(" ")
    while found and not found[-1][0].rstrip(" "):
        found.pop()
    if found:
        found[-1] = (found[-1][0].rstrip(" "), found[-1][1])
    return found


def plain(pieces: Sequence[Piece]) -> str:
    """The words that count."""
    return "".join(words for words, reason in pieces if not reason).strip()
