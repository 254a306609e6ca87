"""Search over one base, and recall, which answers from the cheapest tier that can."""

import time
from collections.abc import Sequence

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.items import plain_items
from forager.api.narrowed import answered, question, where_of
from forager.model.models import KnowledgeBase
from forager.search import fusion
from forager.search import recall as tiers
from forager.search.query import ParsedQuery
from forager.search.summaries import Stretch

DEFAULT_LIMIT = 25
SNIPPET = 240


@endpoint("GET", "/projects/<base>/search", Scope.READ, query=shapes.SearchQuery, answer=shapes.SearchAnswer)
def search(call: Call[shapes.SearchQuery, None], base: str) -> shapes.SearchAnswer:
    """Ranked statements (and chunks when asked), with why each is there."""
    began = time.perf_counter()
    query = call.query
    text = question(query["q"], "q")
    where = where_of(call.base(base), query)
    include_chunks, limit = query.get("include_chunks", False), query.get("limit", DEFAULT_LIMIT)
    backend, found = answered(
        where.base, lambda b: fusion.search(where, text, b, limit=limit, include_chunks=include_chunks)
    )
    answer: shapes.SearchAnswer = {
        "query": text,
        "parsed": _parsed(found.parsed),
        "backend": backend.name,
        "index_version": backend.index_version,
        "strategy": fusion.STRATEGY,
        "view_id": where.base.view_id,
        "took_ms": 0.0,
        "entities": _entities(found) if query.get("include_entities", True) else [],
        "knowledge": _hits(where.base, found.statements),
    }
    if include_chunks:
        answer["chunks"] = [_chunk(c) for c in found.chunks]
    answer["took_ms"] = round((time.perf_counter() - began) * 1000, 2)
    return answer


@endpoint("POST", "/projects/<base>/recall", Scope.READ, body=shapes.RecallRequest, answer=shapes.Recall)
def recall(call: Call[None, shapes.RecallRequest], base: str) -> shapes.Recall:
    """Statements; if they are too few, summaries of sources; then raw lines; or nothing, which is an answer, too."""
    body = call.body
    text = question(body["query"], "query")
    where = where_of(call.base(base), body)
    limit, min_hits = body.get("limit", DEFAULT_LIMIT), body.get("min_hits", 1)
    backend, found = answered(where.base, lambda b: tiers.recall(where, text, b, min_hits=min_hits, limit=limit))
    return {
        "query": text,
        "parsed": _parsed(found.parsed),
        "tier": found.tier,
        "looked": [{"tier": tier, "hits": hits} for tier, hits in found.looked],
        "backend": backend.name,
        "view_id": where.base.view_id,
        "knowledge": _hits(where.base, found.found.statements) if found.found else [],
        "summaries": [_summary(s) for s in found.summaries],
        "raw": [_raw(lines) for lines in found.lines],
    }


def _parsed(parsed: ParsedQuery) -> shapes.Parsed:
    return {
        "identifiers": list(parsed.identifiers),
        "dates": list(parsed.dates),
        "fields": dict(parsed.fields),
        "words": list(parsed.words),
    }


def _entities(found: fusion.Found) -> list[shapes.EntityRef]:
    return [{"id": e.entity_id, "canonical_name": e.canonical_name, "type": e.type} for e in found.entities]


def _hits(base: KnowledgeBase, found: Sequence[fusion.FoundStatement]) -> list[shapes.Hit]:
    items = plain_items(base, [f.row for f in found])
    return [
        {
            "item": item,
            "score": round(f.score, 8),
            "snippet": f.row.text[:SNIPPET],
            "why": f.why,
            "matched_fields": f.matched,
            "routes": [
                {"route": r.route, "method": r.method, "rank": r.rank, "score": round(r.score, 6)} for r in f.routes
            ],
        }
        for item, f in zip(items, found, strict=True)
    ]


def _chunk(found: fusion.FoundChunk) -> shapes.ChunkHit:
    row = found.row
    return {
        "chunk_id": row.pk,
        "source_id": row.source_id,
        "score": round(found.score, 8),
        "snippet": found.text[:SNIPPET],
        "locator": row.locator,
    }


def _summary(found: tiers.FoundSummary) -> shapes.SourceSummary:
    return {
        "project_id": found.source.base_id,
        "band": found.source.document.band,
        "source_id": found.source.pk,
        "source_path": found.source.path,
        "title": found.summary.title,
        "headings": list(found.summary.headings),
        "sentences": [_stretch(s) for s in found.summary.sentences],
        "matched_words": list(found.words),
    }


def _raw(found: tiers.FoundLines) -> shapes.RawLines:
    chunk = found.chunk
    return {
        "project_id": chunk.source.base_id,
        "band": chunk.source.document.band,
        "source_id": chunk.source_id,
        "source_path": chunk.source.path,
        "chunk_id": chunk.pk,
        "location": chunk.location,
        "locator": chunk.locator,
        "lines": [_stretch(line) for line in found.lines],
    }


def _stretch(one: Stretch) -> shapes.Stretch:
    return {"text": one.text, "start": one.start, "end": one.end}
