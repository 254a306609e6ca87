"""Search: the routes, fused by reciprocal rank and weighted by confidence, with words for why each hit is there."""

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection

from forager.model.models import Chunk, Entity, Evidence, Statement
from forager.search import explain, graph, narrowing
from forager.search.backend import Ranked, SearchBackend, Where
from forager.search.like import Like
from forager.search.query import ParsedQuery, understand
from forager.search.sqlite_fts import SqliteFts

RRF_K = 60
DEPTH = 200
STRATEGY = "rrf-2"
ROUTE_WEIGHT = {"text": 1.0, "passage": 1.0, "entity": 0.1, "neighbour": 0.01}
CHUNK_WEIGHT = 1.0
CHUNK_BOOST = 1.0
FAR = 1000


@dataclass(frozen=True, slots=True)
class RouteRank:
    route: str
    method: str
    rank: int
    score: float


@dataclass(slots=True)
class FoundStatement:
    row: Statement
    score: float
    why: str
    matched: list[str]
    routes: list[RouteRank] = field(default_factory=list)


@dataclass(slots=True)
class FoundChunk:
    row: Chunk
    score: float


@dataclass(slots=True)
class Found:
    parsed: ParsedQuery
    statements: list[FoundStatement]
    chunks: list[FoundChunk]
    entities: list[Entity]


def active() -> SearchBackend:
    """FTS5 where this SQLite has it, else the fallback."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'")
        return SqliteFts() if cursor.fetchone() else Like()


def search(where: Where, text: str, backend: SearchBackend, *, limit: int, include_chunks: bool) -> Found:
    parsed = understand(text)
    where = narrowed(where, parsed)
    if not parsed.words:
        return Found(parsed, [], [], [])
    entities = graph.named(where, parsed.words)
    chunks = backend.chunks(where, parsed.wanted, limit=DEPTH)
    routes, supported = _routes(where, parsed, backend, chunks, entities)
    rows = {s.pk: s for s in Statement.objects.filter(pk__in=list(routes))}
    found = [_found(rows[pk], ranks, parsed, entities) for pk, ranks in routes.items() if pk in rows]
    found.sort(key=lambda f: (-f.score, f.row.item_id))
    told = (
        _chunks(chunks, supported)[:limit]
        if include_chunks and not set(where.facets) - set(narrowing.OF_SOURCES)
        else []
    )
    return Found(parsed, found[:limit], told, entities)


def narrowed(where: Where, parsed: ParsedQuery) -> Where:
    """With the fields of the question; an entity may be given by any of its names."""
    facets = {**where.facets, **parsed.fields}
    if "entity" in facets and (entity := graph.find(where, facets["entity"])):
        facets["entity"] = entity.entity_id
    return dataclasses.replace(where, facets=facets)


def _routes(
    where: Where, parsed: ParsedQuery, backend: SearchBackend, chunks: Sequence[Ranked], entities: Sequence[Entity]
) -> tuple[dict[int, list[RouteRank]], dict[str, int]]:
    """Where each statement stands on each route; and for a chunk the best rank of a statement in it."""
    routes: dict[int, list[RouteRank]] = defaultdict(list)
    for at, hit in enumerate(backend.statements(where, parsed.wanted, limit=DEPTH), start=1):
        routes[int(hit.ref)].append(RouteRank("text", backend.name, at, hit.score))
    supported = _add_passages(where, backend, chunks, routes)
    if entities:
        near = graph.touching(where, [e.entity_id for e in entities])[:DEPTH]
        for at, row in enumerate(near, start=1):
            routes[row.pk].append(RouteRank("entity", "alias", at, 1.0))
        for at, row in enumerate(graph.around(where, entities, near)[:DEPTH], start=1):
            if row.pk not in routes:  # a neighbour widens what is found and moves nothing in it
                routes[row.pk].append(RouteRank("neighbour", "one-hop", at, 1.0))
    return routes, supported


def _add_passages(
    where: Where, backend: SearchBackend, chunks: Sequence[Ranked], routes: dict[int, list[RouteRank]]
) -> dict[str, int]:
    """A statement whose passage ranks, too, says more of what was asked; and so does a passage by its statements."""
    places = {hit.ref: (at, hit.score) for at, hit in enumerate(chunks, start=1)}
    rows = dict(Statement.objects.filter(pk__in=list(routes)).values_list("item_id", "pk"))
    told = Evidence.objects.at(where.base.current_revision).filter(base=where.base, item_id__in=list(rows))
    best: dict[int, str] = {}
    supported: dict[str, int] = {}
    for item, chunk in told.values_list("item_id", "chunk_id"):
        pk = rows[item]
        rank = routes[pk][0].rank
        supported[chunk] = min(rank, supported.get(chunk, rank))
        if chunk in places and (pk not in best or places[chunk] < places[best[pk]]):
            best[pk] = chunk
    for pk, chunk in best.items():
        routes[pk].append(RouteRank("passage", backend.name, *places[chunk]))
    return supported


def _chunks(hits: Sequence[Ranked], supported: Mapping[str, int]) -> list[FoundChunk]:
    rows = {c.pk: c for c in Chunk.objects.filter(pk__in=[h.ref for h in hits]).select_related("source__stored")}
    found = [
        FoundChunk(rows[h.ref], CHUNK_WEIGHT * (_share(at) + CHUNK_BOOST * _share(supported.get(h.ref, FAR))))
        for at, h in enumerate(hits, start=1)
        if h.ref in rows
    ]
    return sorted(found, key=lambda f: (-f.score, f.row.pk))


def _found(row: Statement, ranks: list[RouteRank], parsed: ParsedQuery, entities: list[Entity]) -> FoundStatement:
    score = sum(ROUTE_WEIGHT[r.route] * _share(r.rank) for r in ranks)
    why = explain.why(row, [r.route for r in ranks], parsed, entities)
    return FoundStatement(row, score, why, explain.matched(row, parsed), ranks)


def _share(rank: int) -> float:
    return 1 / (RRF_K + rank)
