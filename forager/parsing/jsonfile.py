"""JSON and JSON lines. The text is kept raw; flat records become rows, other members key-value lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from forager.parsing.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Ledger,
    ParseWarning,
    UnreadableDocumentError,
)
from forager.parsing.encoding import decode
from forager.parsing.placing import in_order
from forager.parsing.text import invisible_warning

TOKEN = re.compile(r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*+")|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"]+))', re.DOTALL)
LINES = re.compile(r"\s*\{[^\r\n]*\}\s*[\r\n]\s*\{")
DEPTH_LIMIT = 1_000
ROW_LIMIT = 200_000


@dataclass
class _Open:
    """An object or list being read: its members so far and where it began."""

    mark: str
    start: int
    name: str
    key: str = ""
    items: int = 0
    cells: list[Cell] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    expects_key: bool = True


def parse_json(content: bytes, name: str) -> Document:
    """Places are records (``Record 2``) or paths (``sites[2].name``)."""
    decoded = decode(content)
    text = decoded.text
    scan = _Scan(text, is_lines=LINES.match(text) is not None)
    scan.run()
    if not scan.seen:
        raise UnreadableDocumentError("damaged", "The file holds no JSON value.", "Export it again.")
    warnings = [*decoded.warnings, *invisible_warning(text), *scan.warnings()]
    return Document(
        text=text,
        blocks=in_order(scan.blocks, len(text)),
        source_type="json",
        media_type="application/json",
        encoding=decoded.encoding,
        warnings=tuple(warnings),
        ledger=Ledger("record", len(scan.blocks), len(scan.blocks)),
    )


@dataclass
class _Scan:
    """Reads tokens once, keeping what is open on a stack; numbers and words stay as they are written."""

    text: str
    is_lines: bool
    blocks: list[Block] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    broken: bool = False
    seen: int = 0
    roots: int = 0

    def run(self) -> None:
        for match in self._tokens():
            self.seen += 1
            if match["mark"]:
                self._mark(match["mark"], match.start("mark"))
            else:
                group = "string" if match["string"] else "word"
                self._value(*match.span(group), quoted=group == "string")
        self.broken = self.broken or bool(self.opened)

    def _tokens(self) -> Iterator[re.Match[str]]:
        at = 0
        while len(self.blocks) < ROW_LIMIT and (match := TOKEN.match(self.text, at)):
            yield match
            at = match.end()
        self.broken = bool(self.text[at:].strip())

    def _mark(self, mark: str, at: int) -> None:
        if mark in "{[":
            if len(self.opened) >= DEPTH_LIMIT:
                raise UnreadableDocumentError("damaged", "The JSON is nested too deep.", "Export it flatter.")
            self.opened.append(_Open(mark, at, self._path()))
        elif mark in "}]" and self.opened:
            self._close(self.opened.pop(), at + 1)
        elif self.opened:
            self.opened[-1].expects_key = mark == ","

    def _path(self) -> str:
        """The name of what begins now."""
        if not self.opened:
            self.roots += 1
            return f"Record {self.roots}" if self.is_lines else ""
        top = self.opened[-1]
        if top.mark == "{":
            return f"{top.name}.{top.key}".lstrip(".")
        top.items += 1
        return f"{top.name}[{top.items}]" if top.name else f"Record {top.items}"

    def _value(self, start: int, end: int, *, quoted: bool) -> None:
        top = self.opened[-1] if self.opened else None
        inner = (start + 1, end - 1) if quoted else (start, end)
        if top and top.mark == "{" and top.expects_key:
            top.key = " ".join(self.text[inner[0] : inner[1]].split())
            if top.key in top.keys:
                self.twice.append(top.key)
            top.keys.add(top.key)
        elif top and top.mark == "{":
            top.cells.append(Cell(top.key, *inner))
        elif quoted and inner[1] > inner[0]:
            self._add(inner[0], inner[1], BlockKind.LIST_ITEM, self._path(), ())

    def _close(self, done: _Open, end: int) -> None:
        cells = [cell for cell in done.cells if cell.end > cell.start]
        if done.mark != "{" or not cells:
            return
        flat = self.text[done.start : end].count("{") == 1 and "[" not in self.text[done.start : end]
        if flat and (self.is_lines or (self.opened and self.opened[-1].mark == "[")):
            self._add(done.start, end, BlockKind.TABLE_ROW, done.name, tuple(cells))
            return
        for cell in cells:
            begin = self.text.rfind(f'"{cell.head}"', done.start, cell.start)
            end = cell.end + (self.text[cell.end : cell.end + 1] == '"')
            self._add(begin if begin >= 0 else cell.start, end, BlockKind.KEY_VALUE, done.name, (cell,))

    def _add(self, start: int, end: int, kind: BlockKind, path: str, cells: tuple[Cell, ...]) -> None:
        place = path or "Top level"
        self.blocks.append(Block(start, end, kind, place, {"kind": "part", "part": place}, cells=cells))

    def warnings(self) -> Iterator[ParseWarning]:
        for key in dict.fromkeys(self.twice[:20]):
            message = f"The key {key[:60]!r} stands twice in one object; both values were read."
            yield ParseWarning("duplicate_key", message, "", "Correct the file.")
        if self.broken:
            yield ParseWarning("not_whole", "The JSON is not well-formed to its end.", "", "Export it again.")
