"""The promises every parser makes about places: blocks in order, inside the text, never overlapping."""

from collections.abc import Iterable
from dataclasses import replace

from forager.parsing.document import Block, Excluded, Locator


def in_order(blocks: Iterable[Block], length: int) -> tuple[Block, ...]:
    """Blocks by start; a block that begins inside the one before is cut to what follows it, or left out."""
    placed: list[Block] = []
    reached = 0
    for block in sorted(blocks, key=lambda b: (b.start, b.end)):
        start, end = max(block.start, reached), min(block.end, length)
        if start >= end:
            continue
        cells = tuple(cell for cell in block.cells if start <= cell.start <= cell.end <= end)
        placed.append(replace(block, start=start, end=end, cells=cells))
        reached = end
    return tuple(placed)


def merged(spans: Iterable[Excluded], length: int) -> tuple[Excluded, ...]:
    """Excluded stretches by start, clipped to the text; ones with the same reason next to each other become one."""
    found: list[Excluded] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        start, end = max(0, span.start), min(span.end, length)
        if start >= end:
            continue
        last = found[-1] if found else None
        if last and last.reason == span.reason and start <= last.end + 1:
            found[-1] = Excluded(last.start, max(last.end, end), last.reason)
        else:
            found.append(Excluded(start, end, span.reason))
    return tuple(found)


def section_place(path: tuple[str, ...]) -> tuple[str, Locator]:
    """Words and locator of a place under headings, e.g. ``Section: Plan > Budget``."""
    words = " > ".join(path)
    return f"Section: {words}", {"kind": "section", "section": words}


def under(path: tuple[str, ...], levels: tuple[int, ...], level: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The headings that stay open when one of ``level`` begins."""
    kept = [(words, depth) for words, depth in zip(path, levels, strict=True) if depth < level]
    return tuple(words for words, _ in kept), tuple(depth for _, depth in kept)
