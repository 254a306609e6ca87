"""Search: the routes, fused by reciprocal rank and weighted by confidence, with words for why each hit is there."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from django.db import connection

from forager.extraction import lexicon
from forager.model.models import Alias, Chunk, Entity, Mention, Statement
from forager.search.backend import SearchBackend, Where, in_band, statuses
from forager.search.like import Like
from forager.search.query import ParsedQuery, understand
from forager.search.sqlite_fts import SqliteFts

RRF_K = 60
DEPTH = 200
STRATEGY = "rrf-1"
CHUNK_WEIGHT = 0.9


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
    if not parsed.words:
        return Found(parsed, [], [], [])
    entities = _entities(where, parsed)
    routes: dict[int, list[RouteRank]] = defaultdict(list)
    for at, hit in enumerate(backend.statements(where, parsed.words, limit=DEPTH), start=1):
        routes[int(hit.ref)].append(RouteRank("text", backend.name, at, hit.score))
    for at, pk in enumerate(_of_entities(where, entities), start=1):
        routes[pk].append(RouteRank("entity", "alias", at, 1.0))
    rows = {s.pk: s for s in Statement.objects.filter(pk__in=list(routes))}
    found = [_found(rows[pk], ranks, parsed, entities) for pk, ranks in routes.items() if pk in rows]
    found.sort(key=lambda f: (-f.score, f.row.item_id))
    return Found(parsed, found[:limit], _chunks(backend, where, parsed, limit) if include_chunks else [], entities)


def _chunks(backend: SearchBackend, where: Where, parsed: ParsedQuery, limit: int) -> list[FoundChunk]:
    hits = backend.chunks(where, parsed.words, limit=limit)
    rows = {c.pk: c for c in Chunk.objects.filter(pk__in=[h.ref for h in hits]).select_related("source__stored")}
    return [FoundChunk(rows[h.ref], CHUNK_WEIGHT / (RRF_K + at)) for at, h in enumerate(hits, start=1) if h.ref in rows]


def _entities(where: Where, parsed: ParsedQuery) -> list[Entity]:
    """Entities the question names: runs of its words, longest first, looked up among all names."""
    words = [lexicon.fold(w) for w in parsed.words]
    runs = {" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + 5, len(words) + 1))}
    revision = where.base.current_revision
    ids = Alias.objects.at(revision).filter(base=where.base, folded__in=runs).values("entity_id")
    found = Entity.objects.at(revision).filter(base=where.base, entity_id__in=ids).exclude(status="withheld")
    return list(found.order_by("entity_id"))


def _of_entities(where: Where, entities: list[Entity]) -> list[int]:
    if not entities:
        return []
    revision = where.base.current_revision
    items = Mention.objects.at(revision).filter(base=where.base, entity_id__in=[e.entity_id for e in entities])
    rows = Statement.objects.at(revision).filter(
        base=where.base, item_id__in=items.values("item_id"), status__in=statuses(where)
    )
    if where.supports:
        rows = rows.filter(support__in=where.supports)
    if where.band:
        rows = rows.filter(item_id__in=in_band(where))
    return list(rows.order_by("-confidence", "item_id").values_list("pk", flat=True)[:DEPTH])


ROUTE_WEIGHT = {"text": 1.0, "entity": 0.1}


def _found(row: Statement, ranks: list[RouteRank], parsed: ParsedQuery, entities: list[Entity]) -> FoundStatement:
    score = row.confidence * sum(ROUTE_WEIGHT[r.route] / (RRF_K + r.rank) for r in ranks)
    return FoundStatement(row, score, _why(row, ranks, parsed, entities), _matched(row, parsed), ranks)


def _why(row: Statement, ranks: list[RouteRank], parsed: ParsedQuery, entities: list[Entity]) -> str:
    said = [w for w in dict.fromkeys(parsed.words) if _says(row.text, w)]
    parts = []
    if said:
        parts.append(f"the word{'s' if len(said) > 1 else ''} {', '.join(said)}")
    elif any(r.route == "text" for r in ranks):
        parts.append("a form of the words asked")
    if any(r.route == "entity" for r in ranks):
        parts.append("the entity " + ", ".join(e.canonical_name for e in entities))
    return "; ".join(parts)


def _says(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word[: max(4, len(word) - 2)])}", text, re.IGNORECASE) is not None


def _matched(row: Statement, parsed: ParsedQuery) -> list[str]:
    fields = {"statement": row.text, "title": row.title, "subject": row.subject}
    return [name for name, text in fields.items() if any(_says(text, w) for w in parsed.words)]
