"""All reading for one question: candidates, then one batch read of whole statements with what contests them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowledge.context.model import RelatedEntity
from knowledge.context.select import may_show, spread
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Conflict, EntityRef, SearchResult, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import ConflictStatus, Support

CANDIDATES_EACH = 3
"""Candidates asked for per fact wanted, so that one document cannot crowd out the others."""
CANDIDATE_LIMIT = 100
CONFLICT_LIMIT = 40
ENTITY_LIMIT = 8
DUPLICATE = "duplicate_source"
ATTEMPTS = 2
"""Times to start over when the base moves between candidates and batch read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """``floor`` is the weakest support that may be shown."""

    scope: KnowledgeScope
    query: str
    top_k: int
    floor: Support
    include_historical: bool


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
            return Ok(_degraded(material.value[0], "The knowledge base changed while it was read."))
    raise AssertionError("unreachable")


def _candidates(provider: KnowledgeProvider, wanted: Wanted) -> Outcome[SearchResult]:
    return provider.search(
        wanted.scope,
        wanted.query,
        limit=min(wanted.top_k * CANDIDATES_EACH, CANDIDATE_LIMIT),
        include_historical=wanted.include_historical,
        min_support=wanted.floor.value,
    )


def _read(provider: KnowledgeProvider, wanted: Wanted, search: SearchResult) -> Outcome[tuple[Material, str]]:
    ranked = [hit.statement for hit in search.hits]
    shown = [statement for statement in ranked if may_show(statement, wanted.scope, wanted.floor)]
    chosen = spread(shown, wanted.top_k)
    conflicts, lost = _conflicts(provider, wanted.scope, chosen)
    batch = _batch(provider, wanted.scope, _with_others(chosen, conflicts), {})
    if isinstance(batch, Failed):
        return batch
    statements, view = batch.value
    late, lost_late = _conflicts(provider, wanted.scope, tuple(statements.values()), known=conflicts)
    conflicts = (*conflicts, *late)
    missing = [key for key in _with_others(tuple(statements.values()), late) if key not in statements]
    if missing:
        batch = _batch(provider, wanted.scope, missing, statements)
        if isinstance(batch, Failed):
            return batch
        statements, view = batch.value[0], view if view == batch.value[1] else "moved"
    kept = {key: s for key, s in statements.items() if may_show(s, wanted.scope, wanted.floor)}
    entities = _entities(provider, wanted.scope, [kept[s.id] for s in chosen if s.id in kept])
    material = Material(
        search=search,
        chosen=tuple(statement.id for statement in chosen if statement.id in kept),
        statements=kept,
        conflicts=conflicts,
        entities=entities,
        candidates=len(ranked),
        dropped=len(ranked) - len(shown) + len(statements) - len(kept),
        degradation=_degradation(search, lost or lost_late),
    )
    return Ok((material, view))


def _with_others(statements: Sequence[Statement], conflicts: Sequence[Conflict]) -> list[str]:
    """The statements' ids, those they are in conflict with, and those that replaced them."""
    ids = [statement.id for statement in statements]
    ids.extend(key for conflict in conflicts for key in conflict.statement_ids)
    ids.extend(statement.superseded_by for statement in statements if statement.superseded_by)
    return list(dict.fromkeys(ids))


def _batch(
    provider: KnowledgeProvider, scope: KnowledgeScope, ids: Sequence[str], known: Mapping[str, Statement]
) -> Outcome[tuple[dict[str, Statement], str]]:
    if not ids:
        return Ok((dict(known), ""))
    page = provider.statements_by_id(scope, ids)
    if isinstance(page, Failed):
        return page
    return Ok(({**known, **{statement.id: statement for statement in page.value.items}}, page.value.view_id))


def _conflicts(
    provider: KnowledgeProvider,
    scope: KnowledgeScope,
    statements: Sequence[Statement],
    known: Sequence[Conflict] = (),
) -> tuple[tuple[Conflict, ...], bool]:
    """Open disagreements these statements stand in, and whether one could not be read."""
    seen = {conflict.id for conflict in known}
    ids = [key for key in dict.fromkeys(key for s in statements for key in s.conflict_ids) if key not in seen]
    found: list[Conflict] = []
    lost = len(ids) > CONFLICT_LIMIT
    for key in ids[:CONFLICT_LIMIT]:
        conflict = provider.conflict(scope, key)
        if isinstance(conflict, Failed):
            lost = lost or conflict.failure is not Failure.NOT_FOUND
        elif _is_open(conflict.value):
            found.append(conflict.value)
    return tuple(found), lost


def _is_open(conflict: Conflict) -> bool:
    """A status this build does not know counts as open: nothing contested is shown as settled."""
    is_open = conflict.status in (ConflictStatus.OPEN, ConflictStatus.UNKNOWN)
    return is_open and conflict.type != DUPLICATE


def _entities(
    provider: KnowledgeProvider, scope: KnowledgeScope, statements: Sequence[Statement]
) -> dict[str, RelatedEntity]:
    """Who and what the facts are about, the most frequent first; without its aliases where they cannot be read."""
    refs: dict[str, EntityRef] = {}
    counts: Counter[str] = Counter()
    for statement in statements:
        for ref in statement.entities:
            refs.setdefault(ref.id, ref)
            counts[ref.id] += 1
    ordered = sorted(refs.values(), key=lambda ref: (-counts[ref.id], ref.name, ref.id))[:ENTITY_LIMIT]
    return {ref.id: _related(provider, scope, ref) for ref in ordered}


def _related(provider: KnowledgeProvider, scope: KnowledgeScope, ref: EntityRef) -> RelatedEntity:
    entity = provider.entity(scope, ref.id)
    if isinstance(entity, Failed):
        return RelatedEntity(ref.id, ref.name, ref.type, ())
    aliases = sorted({alias.alias for alias in entity.value.aliases} - {entity.value.name})
    return RelatedEntity(ref.id, entity.value.name, entity.value.type, tuple(aliases))


def _degradation(search: SearchResult, lost_conflicts: bool) -> tuple[str, ...]:
    found = []
    if search.backend.endswith("like"):
        found.append("The search ran without its full-text index; results may be thin.")
    if lost_conflicts:
        found.append("Some disagreements between sources could not be read; treat every fact as possibly contested.")
    return tuple(found)


def _degraded(material: Material, sentence: str) -> Material:
    return Material(
        material.search,
        material.chosen,
        material.statements,
        material.conflicts,
        material.entities,
        material.candidates,
        material.dropped,
        (*material.degradation, sentence),
    )
