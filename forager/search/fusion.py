"""Search: the routes, fused by reciprocal rank and weighted by confidence, with words for why each hit is there."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from forager.model import dialect
from forager.model.models import Chunk, Entity
from forager.search import explain, graph, narrowing, passages, plain, rows
from forager.search.backend import READ_AHEAD, Depth, Ranked, SearchBackend, Where
from forager.search.like import Like
from forager.search.postgres_fts import PostgresFts
from forager.search.query import ParsedQuery, understand
from forager.search.rows import StatementRow
from forager.search.sqlite_fts import SqliteFts

RRF_K = 60
DEPTH, SHALLOW = 200, 100
"""How far down each route is read: several times what is wanted, within these."""
STRATEGY = "rrf-2"
BY_WORDS = ("text", "source")
ROUTE_WEIGHT = {"text": 1.0, "source": 2.0, "entity": 0.1, "neighbour": 0.01}
FAR = 10_000
"""The rank of what does not stand on a route."""
FURTHER_CHUNK, FURTHER_STATEMENT = 0.5, 0.7
ITSELF = "itself"


class RouteRank(NamedTuple):
    route: str
    method: str
    rank: int
    score: float


@dataclass(slots=True)
class FoundStatement:
    row: StatementRow
    score: float
    why: str
    matched: list[str]
    routes: list[RouteRank] = field(default_factory=list)


@dataclass(slots=True)
class FoundChunk:
    row: Chunk
    score: float
    text: str


@dataclass(slots=True)
class Found:
    parsed: ParsedQuery
    statements: list[FoundStatement]
    chunks: list[FoundChunk]
    entities: list[Entity]


def active() -> SearchBackend:
    """That of the database; the fallback where this SQLite has no FTS5."""
    if dialect.is_postgres():
        return PostgresFts()
    return SqliteFts() if _has_fts5() else Like()


@cache
def _has_fts5() -> bool:
    return bool(plain.fetch("SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'", []))


def search(where: Where, text: str, backend: SearchBackend, *, limit: int, include_chunks: bool) -> Found:
    parsed = understand(text)
    where = narrowed(where, parsed)
    if not parsed.words:
        return Found(parsed, [], [], [])
    entities = graph.named(where, parsed.words)
    is_told = include_chunks and narrowing.reaches_sources(where)
    depth = Depth(min(DEPTH, max(SHALLOW, READ_AHEAD * limit)), limit)
    chunks = backend.chunks(where, parsed.wanted, depth) if is_told else []
    hits = backend.statements(where, parsed.wanted, depth)
    text_route = _text_route(hits, backend.name)
    sources = rank_sources([(c.source, c.score) for c in chunks], FURTHER_CHUNK) if chunks else text_route.sources
    routes = _with_sources(text_route, sources)
    _add_entities(where, entities, routes, limit)
    scores = {pk: _score(ranks) for pk, ranks in routes.items()}
    best = _best(scores, limit)
    told = rows.read(best)
    asked = explain.asked(parsed, entities)
    found = [_found(told[pk], scores[pk], routes[pk], asked) for pk in best if pk in told]
    found.sort(key=lambda f: (-f.score, f.row.item_id))
    return Found(parsed, found[:limit], _chunks(chunks[:limit], sources, text_route.support), entities)


def narrowed(where: Where, parsed: ParsedQuery) -> Where:
    """With the fields of the question; an entity may be given by any of its names."""
    facets = {**where.facets, **parsed.fields}
    if "entity" in facets and (entity := graph.find(where, facets["entity"])):
        facets["entity"] = entity.entity_id
    return dataclasses.replace(where, facets=facets)


@dataclass(slots=True)
class _TextRoute:
    """The statements found by their own words; the sources they stand in, ranked, and the best rank in each."""

    ranks: dict[int, RouteRank]
    standing: dict[int, Sequence[str]]
    sources: dict[str, RouteRank]
    support: dict[str, int]


def _text_route(hits: Sequence[Ranked], method: str) -> _TextRoute:
    ranks = {int(h.ref): RouteRank("text", method, at, h.score) for at, h in enumerate(hits, start=1)}
    standing = {int(h.ref): h.sources for h in hits}
    told = [(source, hit.score) for hit in hits for source in hit.sources]
    support: dict[str, int] = {}
    for at, hit in enumerate(hits, start=1):
        for source in hit.sources:
            support.setdefault(source, at)
    return _TextRoute(ranks, standing, rank_sources(told, FURTHER_STATEMENT), support)


def rank_sources(told: Iterable[tuple[str, float]], further: float) -> dict[str, RouteRank]:
    """Sources by what is found in them, best first, each further piece counting ``further`` of the one before."""
    scores: dict[str, float] = {}
    weights: dict[str, float] = {}
    for source, score in told:
        weight = weights.get(source, 1.0)
        scores[source] = scores.get(source, 0.0) + score * weight
        weights[source] = weight * further
    order = sorted(scores, key=lambda source: (-scores[source], source))
    return {s: RouteRank("source", "together", at, scores[s]) for at, s in enumerate(order, start=1)}


def _with_sources(found: _TextRoute, sources: Mapping[str, RouteRank]) -> dict[int, list[RouteRank]]:
    """Each statement by its own words and by its best source; one without a source by its own words again."""
    routes: dict[int, list[RouteRank]] = {}
    for pk, rank in found.ranks.items():
        routes[pk] = [rank]
        if not found.standing[pk]:
            routes[pk].append(rank._replace(route="source", method=ITSELF))
        elif ranked := [sources[s] for s in found.standing[pk] if s in sources]:
            routes[pk].append(ranked[0] if len(ranked) == 1 else min(ranked, key=lambda r: r.rank))
    return routes


def _add_entities(where: Where, entities: Sequence[Entity], routes: dict[int, list[RouteRank]], limit: int) -> None:
    """What speaks of an entity that is named, and where there is room, what a neighbour of it is the subject of."""
    if not entities:
        return
    for at, pk in enumerate(graph.standing(where, [e.entity_id for e in entities], DEPTH), start=1):
        routes.setdefault(pk, []).append(RouteRank("entity", "alias", at, 1.0))
    if len(routes) < limit:
        for at, row in enumerate(graph.around(where, entities)[:limit], start=1):
            routes.setdefault(row.pk, [RouteRank("neighbour", "one-hop", at, 1.0)])


def _best(scores: Mapping[int, float], limit: int) -> list[int]:
    """The best ``limit`` and whatever ties with the last of them; ids decide among those once they are read."""
    order = sorted(scores, key=lambda pk: -scores[pk])
    floor = scores[order[limit - 1]] if len(order) > limit else 0.0
    return [pk for pk in order if scores[pk] >= floor]


def _chunks(hits: Sequence[Ranked], sources: Mapping[str, RouteRank], support: Mapping[str, int]) -> list[FoundChunk]:
    """On the scale of the statements: by its source, by half its own words, by half the source's best statement."""
    if not hits:
        return []
    read = {c.pk: c for c in passages.read(Chunk.objects.filter(pk__in=[h.ref for h in hits]))}
    found = [
        FoundChunk(
            read[h.ref],
            ROUTE_WEIGHT["source"] * _share(sources[h.source].rank)
            + (_share(at) + _share(support.get(h.source, FAR))) / 2,
            passages.said(read[h.ref]),
        )
        for at, h in enumerate(hits, start=1)
        if h.ref in read
    ]
    return sorted(found, key=lambda f: (-f.score, f.row.pk))


def _found(row: StatementRow, score: float, ranks: list[RouteRank], asked: explain.Asked) -> FoundStatement:
    said = asked.said_in(row.text)
    why = explain.why(said, {r.route: r.rank for r in ranks if r.method != ITSELF}, asked)
    return FoundStatement(row, score, why, explain.matched(row, said, asked), ranks)


def _score(ranks: Sequence[RouteRank]) -> float:
    """The graph widens what is found: it counts where the words found nothing, and moves nothing they ranked."""
    counting = [r for r in ranks if r.route in BY_WORDS] or ranks
    return sum([ROUTE_WEIGHT[r.route] / (RRF_K + r.rank) for r in counting])


def _share(rank: int) -> float:
    return 1 / (RRF_K + rank)
