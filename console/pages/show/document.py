"""A source's stored text cut into blocks and pieces, with every excerpt a statement rests on marked in its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext

from console.pages.show.text import visible
from console.wording import gettext_lazy as _
from knowledge.records import Block, Evidence, Excluded, SourceText

WINDOW_CHARS = 60_000

EXCLUDED_WORDS = {
    "quoted": _("Quoted older mail. Not counted as evidence."),
    "quoted_mail": _("Quoted older mail. Not counted as evidence."),
    "quote": _("Quoted older mail. Not counted as evidence."),
    "signature": _("Signature. Not counted as evidence."),
    "hidden": _("Hidden text. Not counted as evidence."),
    "deleted": _("Deleted text. Not counted as evidence."),
    "front_matter": _("Front matter. Read as properties, not as evidence."),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """An excerpt to mark: its number in the statements rail and whether its statement is contested."""

    evidence_id: str
    statement_id: str
    number: int
    start: int
    end: int
    contested: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text under the same marks. ``anchors`` are evidence ids that begin here, ``ends`` numbers that end."""

    text: str
    anchors: tuple[str, ...]
    number: int
    statement_id: str
    contested: bool
    current: bool
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlockView:
    number: str
    kind: str
    location: str
    pieces: tuple[Piece, ...]
    excluded: str


@dataclass(frozen=True, slots=True)
class DocumentView:
    blocks: tuple[BlockView, ...]
    count: int
    earlier: int | None
    later: int | None


def excluded_words(reason: str) -> str:
    plain = reason.replace("_", " ").strip().capitalize()
    return EXCLUDED_WORDS.get(
        reason.lower().replace(" ", "_"), gettext("{plain}. Not counted as evidence.").format(plain=plain)
    )


def document_view(text: SourceText, marks: Sequence[Mark], *, at: int = 0, current: str = "") -> DocumentView:
    """The window of the text that holds offset ``at``; long texts are read window by window."""
    blocks = _whole(text)
    windows = _windows(blocks)
    index = next((i for i, window in enumerate(windows) if window and window[-1][1].end > at), len(windows) - 1)
    shown = windows[index] if windows else []
    return DocumentView(
        blocks=tuple(view for number, block in shown for view in _block_views(number, block, text, marks, current)),
        count=len(blocks),
        earlier=windows[index - 1][0][1].start if index > 0 else None,
        later=windows[index + 1][0][1].start if 0 <= index < len(windows) - 1 else None,
    )


def _whole(text: SourceText) -> list[Block]:
    """The engine's blocks grown to whole lines and, as blocks of their own, the lines it put in none."""
    blocks: list[Block] = []
    reached = 0
    for block in sorted(text.blocks, key=lambda each: (each.start, each.end)):
        start = max(block.start, reached)
        if block.end <= start:
            continue
        line_start = max(reached, text.text.rfind("\n", 0, start) + 1)
        blocks += _between(text.text, reached, line_start)
        line_end = text.text.find("\n", block.end)
        end = len(text.text) if line_end < 0 else line_end
        end = min(end, _next_start(text.blocks, block.end, end))
        blocks.append(Block(line_start, end, block.kind, block.location))
        reached = end
    blocks += _between(text.text, reached, len(text.text))
    return [block for block in blocks if text.text[block.start : block.end].strip()]


def _next_start(blocks: Sequence[Block], after: int, end: int) -> int:
    """Where the next block begins, when that is before ``end``: two blocks may share a line."""
    return min((each.start for each in blocks if after <= each.start < end), default=end)


def _between(text: str, start: int, end: int) -> list[Block]:
    """Lines in no block, without the empty ones around them."""
    part = text[start:end]
    if not part.strip():
        return []
    lead = len(part) - len(part.lstrip("\n"))
    return [Block(start + lead, start + len(part.rstrip("\n")), "markup", "")]


def _windows(blocks: Sequence[Block]) -> list[list[tuple[int, Block]]]:
    windows: list[list[tuple[int, Block]]] = []
    held = WINDOW_CHARS + 1
    for number, block in enumerate(blocks, start=1):
        length = block.end - block.start
        if held + length > WINDOW_CHARS or not windows:
            windows.append([])
            held = 0
        windows[-1].append((number, block))
        held += length
    return windows


def _block_views(number: int, block: Block, text: SourceText, marks: Sequence[Mark], current: str) -> list[BlockView]:
    """A block, cut where text begins or ends that can carry no evidence."""
    views: list[BlockView] = []
    for start, end, reason in _spans(block, text.excluded):
        pieces = tuple(_pieces(text.text, start, end, marks, current))
        if not any(piece.text.strip() for piece in pieces):
            continue
        shown = str(number) if not views else ""
        words = excluded_words(reason) if reason else ""
        views.append(BlockView(shown, block.kind, block.location, pieces, words))
    return views


def _spans(block: Block, excluded: Sequence[Excluded]) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    reached = block.start
    for each in sorted(excluded, key=lambda one: one.start):
        start, end = max(each.start, reached), min(each.end, block.end)
        if start >= end:
            continue
        if start > reached:
            spans.append((reached, start, ""))
        spans.append((start, end, each.reason))
        reached = end
    if reached < block.end:
        spans.append((reached, block.end, ""))
    return spans


def _pieces(text: str, start: int, end: int, marks: Sequence[Mark], current: str) -> list[Piece]:
    inside = [mark for mark in marks if mark.start < end and mark.end > start]
    cuts = sorted({start, end, *(min(max(at, start), end) for mark in inside for at in (mark.start, mark.end))})
    return [_piece(text, low, high, inside, current) for low, high in pairwise(cuts)]


def _piece(text: str, low: int, high: int, inside: Sequence[Mark], current: str) -> Piece:
    over = [mark for mark in inside if mark.start <= low and mark.end >= high]
    first = min(over, key=lambda mark: (mark.end - mark.start, mark.number), default=None)
    return Piece(
        text=visible(text[low:high]),
        anchors=tuple(mark.evidence_id for mark in over if mark.start == low),
        number=first.number if first else 0,
        statement_id=first.statement_id if first else "",
        contested=any(mark.contested for mark in over),
        current=any(mark.evidence_id == current for mark in over),
        ends=tuple(sorted({mark.number for mark in over if mark.end == high})),
    )


def marks_of(evidence: Sequence[Evidence], numbers: dict[str, int], contested: frozenset[str]) -> list[Mark]:
    return [
        Mark(
            each.id, each.statement_id, numbers[each.statement_id], each.start, each.end, each.statement_id in contested
        )
        for each in evidence
        if each.statement_id in numbers and not each.missing and each.end > each.start
    ]
