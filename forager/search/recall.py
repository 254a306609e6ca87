"""Recall: the cheapest tier that can answer does: statements, then summaries of sources, then raw lines, then nothing.

A tier answers when it has at least ``min_hits``. That nothing was found is an answer, and says where it was looked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from forager.model.models import Chunk, Source
from forager.search import fusion, narrowing, passages, words
from forager.search.backend import Depth, Ranked, SearchBackend, Where
from forager.search.query import ParsedQuery, understand
from forager.search.summaries import Stretch, Summary, summarise

STATEMENTS, SUMMARIES, RAW, NOTHING = "statements", "summaries", "raw", "nothing"
SOURCES_LOOKED_AT = 40
LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class FoundSummary:
    source: Source
    summary: Summary
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundLines:
    chunk: Chunk
    lines: tuple[Stretch, ...]


@dataclass(slots=True)
class Recalled:
    """``looked`` counts the hits of each tier that was asked, in order; ``tier`` is the one that answered."""

    tier: str
    parsed: ParsedQuery
    looked: list[tuple[str, int]] = field(default_factory=list)
    found: fusion.Found | None = None
    summaries: list[FoundSummary] = field(default_factory=list)
    lines: list[FoundLines] = field(default_factory=list)


def recall(where: Where, text: str, backend: SearchBackend, *, min_hits: int, limit: int) -> Recalled:
    parsed = understand(text)
    answer = Recalled(NOTHING, parsed)
    found = fusion.search(where, text, backend, limit=limit, include_chunks=False)
    if _suffices(answer, STATEMENTS, sum(_is_answer(hit) for hit in found.statements), min_hits):
        answer.found = found
        return answer
    where = fusion.narrowed(where, parsed)
    asked = words.stems(" ".join(parsed.words))
    is_told = asked and narrowing.reaches_sources(where)
    passages = backend.chunks(where, parsed.wanted, Depth(fusion.DEPTH, fusion.DEPTH)) if is_told else []
    chunks = _chunks(passages)
    summaries = _summaries(chunks, parsed, asked)[:limit]
    if _suffices(answer, SUMMARIES, len(summaries), min_hits):
        answer.summaries = summaries
        return answer
    lines = [FoundLines(c, said) for c in chunks if (said := _lines(c, asked))][:limit]
    if _suffices(answer, RAW, sum(len(one.lines) for one in lines), min_hits):
        answer.lines = lines
    return answer


def _suffices(answer: Recalled, tier: str, hits: int, min_hits: int) -> bool:
    answer.looked.append((tier, hits))
    if hits >= min_hits:
        answer.tier = tier
    return hits >= min_hits


def _is_answer(hit: fusion.FoundStatement) -> bool:
    """What only stands beside something named in the question answers nothing."""
    return any(r.route != "neighbour" for r in hit.routes)


def _chunks(hits: Sequence[Ranked]) -> list[Chunk]:
    """In the order of the ranking, of the best sources alone, so that reading stays bounded."""
    sources = set(list(dict.fromkeys(h.source for h in hits))[:SOURCES_LOOKED_AT])
    kept = [h.ref for h in hits if h.source in sources]
    rows = Chunk.objects.filter(pk__in=kept).select_related("source__stored", "source__document")
    found = {c.pk: c for c in rows}
    return [found[ref] for ref in kept if ref in found]


def _summaries(chunks: Sequence[Chunk], parsed: ParsedQuery, asked: frozenset[str]) -> list[FoundSummary]:
    """Sources whose summary says words of the question, those with most of them first, then as they rank."""
    found = []
    for source in {c.source_id: c.source for c in chunks}.values():
        stored = source.stored
        summary = summarise(source.title, stored.text, stored.blocks, stored.excluded)
        said = summary.words
        if asked & said:
            matched = tuple(w for w in dict.fromkeys(parsed.words) if said & words.stems(w))
            found.append(FoundSummary(source, summary, matched))
    return sorted(found, key=lambda f: -len(f.words))


def _lines(chunk: Chunk, asked: frozenset[str]) -> tuple[Stretch, ...]:
    stored = chunk.source.stored
    text = passages.without(stored.text[chunk.start : chunk.end], chunk.start, stored.excluded)
    lines = [Stretch(m.group(), chunk.start + m.start(), chunk.start + m.end()) for m in LINE.finditer(text)]
    return tuple(line for line in lines if asked & words.stems(line.text))
