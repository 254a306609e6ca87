"""Search over one base."""

import time

from django.conf import settings
from django.db import DatabaseError, OperationalError

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import ValidationFailed
from forager.api.items import present
from forager.model.models import KnowledgeBase
from forager.search import fusion, keeping
from forager.search.backend import SearchBackend, Where
from forager.search.like import Like

SUPPORT_ORDER = ("direct_fact", "supported_inference", "uncertain_inference", "unverified_claim")
DEFAULT_LIMIT = 25
SNIPPET = 240


@endpoint("GET", "/projects/<base>/search", Scope.READ, query=shapes.SearchQuery, answer=shapes.SearchAnswer)
def search(call: Call[shapes.SearchQuery, None], base: str) -> shapes.SearchAnswer:
    """Ranked statements (and chunks when asked), with why each is there."""
    began = time.perf_counter()
    row, query = call.base(base), call.query
    if len(query["q"]) > settings.QUERY_CHARS:
        raise ValidationFailed(fields={"q": f"at most {settings.QUERY_CHARS} characters"})
    floor = query.get("min_support")
    where = Where(
        base=row,
        include_historical=query.get("include_historical", False),
        supports=SUPPORT_ORDER[: SUPPORT_ORDER.index(floor) + 1] if floor else (),
        band=query.get("band", ""),
    )
    include_chunks = query.get("include_chunks", False)
    limit = query.get("limit", DEFAULT_LIMIT)
    backend, found = _found(where, query["q"], limit=limit, include_chunks=include_chunks)
    answer: shapes.SearchAnswer = {
        "query": query["q"],
        "parsed": {
            "identifiers": list(found.parsed.identifiers),
            "dates": list(found.parsed.dates),
            "fields": {},
            "words": list(found.parsed.words),
        },
        "backend": backend.name,
        "index_version": backend.index_version,
        "strategy": fusion.STRATEGY,
        "view_id": row.view_id,
        "took_ms": 0.0,
        "entities": _entities(found) if query.get("include_entities", True) else [],
        "knowledge": _hits(row, found),
    }
    if include_chunks:
        answer["chunks"] = [_chunk(c) for c in found.chunks]
    answer["took_ms"] = round((time.perf_counter() - began) * 1000, 2)
    return answer


def _found(where: Where, text: str, *, limit: int, include_chunks: bool) -> tuple[SearchBackend, fusion.Found]:
    """With the index; where it turns out to be broken, with a plain look through the rows, and the answer says so."""
    backend = keeping.backend_for(where.base)
    try:
        return backend, fusion.search(where, text, backend, limit=limit, include_chunks=include_chunks)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and "locked" in str(error):
            raise
        fallback = Like()
        return fallback, fusion.search(where, text, fallback, limit=limit, include_chunks=include_chunks)


def _entities(found: fusion.Found) -> list[shapes.EntityRef]:
    return [{"id": e.entity_id, "canonical_name": e.canonical_name, "type": e.type} for e in found.entities]


def _hits(base: KnowledgeBase, found: fusion.Found) -> list[shapes.Hit]:
    items = present(base, [f.row for f in found.statements], frozenset())
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
        for item, f in zip(items, found.statements, strict=True)
    ]


def _chunk(found: fusion.FoundChunk) -> shapes.ChunkHit:
    row = found.row
    return {
        "chunk_id": row.pk,
        "source_id": row.source_id,
        "score": round(found.score, 8),
        "snippet": row.source.stored.text[row.start : row.end][:SNIPPET],
        "locator": row.locator,
    }
