"""All reading for one question: candidates, then one batch read of whole statements with what contests them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from knowledge.context.entities import related_entities
from knowledge.context.model import RelatedEntity
from knowledge.context.select import may_show, near_the_best, spread
from knowledge.context.whole import read_whole
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Conflict, SearchResult, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Support

CANDIDATES_EACH = 3
"""Candidates asked for per fact wanted, so that one document cannot crowd out the others."""
CANDIDATE_LIMIT = 100
ATTEMPTS = 2
"""Times to start over when the base moves between candidates and batch read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """``floor`` is the weakest support that may be shown; ``as_of`` an ISO day, empty for now."""

    scope: KnowledgeScope
    query: str
    top_k: int
    floor: Support
    include_historical: bool
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """``chosen`` are ids in rank order; ``statements`` holds them, what contests them and what replaced them."""

    search: SearchResult
    chosen: tuple[str, ...]
    statements: Mapping[str, Statement]
    conflicts: tuple[Conflict, ...]
    entities: Mapping[str, RelatedEntity]
    candidates: int
    dropped: int
    degradation: tuple[str, ...]


def gather(provider: KnowledgeProvider, wanted: Wanted) -> Outcome[Material]:
    """Starts over once when the base moved in between; then says so."""
    for attempt in range(ATTEMPTS):
        found = _candidates(provider, wanted)
        if isinstance(found, Failed):
            return found
        material = _read(provider, wanted, found.value)
        if isinstance(material, Failed):
            return material
        search_view, read_view = found.value.view_id, material.value[1]
        if not read_view or search_view == read_view:
            return Ok(material.value[0])
        if attempt + 1 == ATTEMPTS:
            told = (*material.value[0].degradation, "The knowledge base changed while it was read.")
            return Ok(replace(material.value[0], degradation=told))
    raise AssertionError("unreachable")


def _candidates(provider: KnowledgeProvider, wanted: Wanted) -> Outcome[SearchResult]:
    return provider.search(
        wanted.scope,
        wanted.query,
        limit=min(wanted.top_k * CANDIDATES_EACH, CANDIDATE_LIMIT),
        include_historical=wanted.include_historical,
        min_support=wanted.floor.value,
        as_of=wanted.as_of,
    )


def _read(provider: KnowledgeProvider, wanted: Wanted, search: SearchResult) -> Outcome[tuple[Material, str]]:
    ranked = [hit.statement for hit in near_the_best(search.hits)]
    shown = [statement for statement in ranked if may_show(statement, wanted.scope, wanted.floor)]
    chosen = spread(shown, wanted.top_k)
    whole = read_whole(provider, wanted.scope, chosen)
    if isinstance(whole, Failed):
        return whole
    read = whole.value
    kept = {key: s for key, s in read.statements.items() if may_show(s, wanted.scope, wanted.floor)}
    entities = related_entities(provider, wanted.scope, [kept[s.id] for s in chosen if s.id in kept], read.entities)
    material = Material(
        search=search,
        chosen=tuple(statement.id for statement in chosen if statement.id in kept),
        statements=kept,
        conflicts=read.conflicts,
        entities=entities,
        candidates=len(search.hits),
        dropped=len(search.hits) - len(shown) + len(read.statements) - len(kept),
        degradation=_degradation(search, read.lost_conflicts),
    )
    return Ok((material, read.view_id))


def _degradation(search: SearchResult, lost_conflicts: bool) -> tuple[str, ...]:
    found = []
    if search.backend.endswith("like"):
        found.append("The search ran without its full-text index; results may be thin.")
    if lost_conflicts:
        found.append("Some disagreements between sources could not be read; treat every fact as possibly contested.")
    return tuple(found)
