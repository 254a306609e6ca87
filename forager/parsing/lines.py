"""Lines of plain text and what they are: headings, list items, key-value lines, wrapped prose.

Shared by plain text, mail bodies and PDF pages, which all come as lines without markup.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from forager.parsing.document import BlockKind, Cell

WRAP_MIN = 42
"""A line shorter than this was ended on purpose, not wrapped."""

LIST_MARK = re.compile(r"\s*(?:[-*•‣◦–]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))\s+(?=\S)")
KEY_VALUE = re.compile(
    r"\s*(?:[-*+•]\s+)?[*_`]{0,3}(?P<key>[^\W_][^:：\n.!?;,\[\]]{0,58}?)\s*[:：][*_`]{0,3}\s+(?P<value>\S.*)$"
)
KEY_WORDS = 6
SHORT_VALUE = 4
SENTENCE_END = re.compile(r"[.!?…。！？:：;]['\"”’»)\]]*\s*$")
STAMPED = re.compile(r"\s*(?:\[|\(?\d{1,2}[:.]\d{2}\b|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})")
"""A line of a chat or log begins with its time; it never goes on the line before."""
RULE = re.compile(r"\s*([=\-~_*#])\1{2,}\s*$")
HEADING_MAX = 80


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end and trailing blanks; ``number`` counts from 1 in the format's own way."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that make one block, from ``first`` to ``last``."""

    kind: BlockKind
    first: Line
    last: Line
    start: int
    cells: tuple[Cell, ...] = ()

    @property
    def end(self) -> int:
        return self.last.end


def split_lines(text: str, start: int = 0) -> tuple[Line, ...]:
    """Every line of ``text`` with its offsets (from ``start``), blank lines too, at any of Unicode's line ends."""
    lines = []
    for number, raw in enumerate(text.splitlines(keepends=True), 1):
        lines.append(Line(start, start + len(raw.rstrip()), number))
        start += len(raw)
    return tuple(lines)


def key_value_cell(text: str, line: Line) -> Cell | None:
    """The value of a 'key: value' line with its key as head; None for prose that merely holds a colon."""
    match = KEY_VALUE.match(text[line.start : line.end])
    if match is None or len(match["key"].split()) > KEY_WORDS or match["value"].startswith("//"):
        return None
    if _is_rest_of_sentence(match["value"]):
        return None
    key = match["key"].strip(" *_`\"'")
    return Cell(key, line.start + match.start("value"), line.start + match.end("value")) if key else None


def _is_rest_of_sentence(value: str) -> bool:
    """'Please note: the gate is shut at night.' is prose; a value begins with a capital or a digit, or is short."""
    return value[0].islower() and value.endswith((".", "!", "?")) and len(value.split()) > SHORT_VALUE


def group_lines(text: str, lines: Sequence[Line], *, headings: bool) -> Iterator[Group]:
    """Blocks in order. A line goes on the one before when that was long and had no end mark.

    ``headings`` allows lone short lines and underlined ones to be headings; a mail body has none.
    """
    opened: Group | None = None
    for index, line in enumerate(lines):
        body = text[line.start : line.end]
        if not body.strip() or RULE.match(body):
            if opened:
                yield opened
            opened = None
            continue
        if opened and _goes_on(text, opened, line):
            opened = Group(opened.kind, opened.first, line, opened.start, opened.cells)
            continue
        if opened:
            yield opened
        opened = _begin(text, lines, index, headings=headings)
    if opened:
        yield opened


def is_continuation(before: str, after: str, wrap_min: float = WRAP_MIN) -> bool:
    """Whether ``after`` looks like the rest of the wrapped line ``before``; lines under ``wrap_min`` were ended."""
    first = after.lstrip()[:1]
    if SENTENCE_END.search(before):
        return first.islower() and not before.rstrip().endswith((":", "：", ";"))
    return len(before.strip()) >= wrap_min or first.islower()


def _goes_on(text: str, opened: Group, line: Line) -> bool:
    body = text[line.start : line.end]
    if opened.kind in (BlockKind.HEADING, BlockKind.TITLE) or LIST_MARK.match(body) or STAMPED.match(body):
        return False
    before = text[opened.last.start : opened.last.end]
    if key_value_cell(text, line) or opened.kind is BlockKind.KEY_VALUE:
        return False
    if opened.kind is BlockKind.LIST_ITEM and body[:2].strip() == "":
        return not SENTENCE_END.search(before) or body.lstrip()[:1].islower()
    return is_continuation(before, body)


def _begin(text: str, lines: Sequence[Line], index: int, *, headings: bool) -> Group:
    line = lines[index]
    body = text[line.start : line.end]
    start = line.start + len(body) - len(body.lstrip())
    if headings and _is_heading(text, lines, index):
        return Group(BlockKind.HEADING, line, line, start)
    mark = LIST_MARK.match(body)
    if mark:
        return Group(BlockKind.LIST_ITEM, line, line, line.start + mark.end())
    cell = key_value_cell(text, line)
    if cell:
        return Group(BlockKind.KEY_VALUE, line, line, start, (cell,))
    return Group(BlockKind.PARAGRAPH, line, line, start)


def _is_heading(text: str, lines: Sequence[Line], index: int) -> bool:
    body = text[lines[index].start : lines[index].end].strip()
    after = text[lines[index + 1].start : lines[index + 1].end] if index + 1 < len(lines) else ""
    before = text[lines[index - 1].start : lines[index - 1].end] if index else ""
    if RULE.match(after) and after.strip()[0] in "=-~" and not before.strip() and len(body) <= HEADING_MAX:
        return True
    if len(body) > HEADING_MAX or SENTENCE_END.search(body) or body.endswith(",") or before.strip() or after.strip():
        return False
    more = any(text[line.start : line.end].strip() for line in lines[index + 1 : index + 4])
    return more and _starts_like_heading(body) and key_value_cell(text, lines[index]) is None


def _starts_like_heading(body: str) -> bool:
    first = body[0]
    return (first.isalpha() and not first.islower()) or first.isdigit()


def lead_in_before(text: str, groups: Iterable[Group]) -> dict[int, str]:
    """For each list item (by start) the sentence ending in a colon that opened its list."""
    found: dict[int, str] = {}
    lead = ""
    for group in groups:
        if group.kind is BlockKind.LIST_ITEM:
            found[group.start] = lead
            continue
        body = " ".join(text[group.start : group.end].split())
        lead = body if body.endswith((":", "：")) else ""
    return found
