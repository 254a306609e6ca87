"""From material to a context: facts labelled in order, conflicts joined to them, sources named."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from knowledge.context.gather import Material, Wanted
from knowledge.context.model import (
    ConflictEntry,
    Fact,
    KnowledgeContext,
    Metadata,
    RelatedEntity,
    Relationship,
    SourceName,
)
from knowledge.context.provenance import usable_evidence
from knowledge.context.select import in_order
from knowledge.records import Conflict, Evidence

STATEMENTS = "statements"
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Cut:
    """What did not fit: ids of statements and of conflicts."""

    statements: frozenset[str] = frozenset()
    conflicts: frozenset[str] = frozenset()


def compose(material: Material, wanted: Wanted, cut: Cut, elapsed_ms: int = 0) -> KnowledgeContext:
    """Everything gathered but for what is cut; the same input gives an equal context."""
    shown = [s for key, s in material.statements.items() if key in _wanted_ids(material) and key not in cut.statements]
    labels = {statement.id: number for number, statement in enumerate(in_order(shown), 1)}
    contested = {key for conflict in material.conflicts for key in conflict.statement_ids}
    facts = tuple(_fact(material, key, labels, contested) for key in labels)
    evidence = tuple(piece for fact in facts for piece in fact.evidence)
    conflicts = [conflict for conflict in material.conflicts if conflict.id not in cut.conflicts]
    entities = _entities(material, labels)
    return KnowledgeContext(
        facts=facts,
        evidence=evidence,
        entities=entities,
        relationships=_relationships(facts, entities),
        conflicts=_entries(conflicts, labels, cut),
        sources=_sources(evidence),
        metadata=_metadata(material, wanted, cut, bool(facts), elapsed_ms),
    )


def _wanted_ids(material: Material) -> frozenset[str]:
    """Chosen facts, every side of their conflicts, and what replaced any of them, to the end of the chain."""
    ids = {*material.chosen, *(key for conflict in material.conflicts for key in conflict.statement_ids)}
    fresh = ids
    while fresh:
        replaced = {material.statements[key].superseded_by for key in fresh if key in material.statements}
        fresh = {key for key in replaced if key} - ids
        ids |= fresh
    return frozenset(ids)


def _fact(material: Material, key: str, labels: Mapping[str, int], contested: Collection[str]) -> Fact:
    statement = material.statements[key]
    evidence = usable_evidence(statement)
    successor = labels.get(statement.superseded_by) if statement.superseded_by else None
    return Fact(labels[key], statement, evidence, not evidence, key in contested, successor)


def _entries(conflicts: Sequence[Conflict], labels: Mapping[str, int], cut: Cut) -> tuple[ConflictEntry, ...]:
    """Conflicts by their first fact; those whose facts all went come last."""
    last = len(labels) + 1
    ordered = sorted(conflicts, key=lambda c: (min((labels.get(k, last) for k in c.statement_ids), default=last), c.id))
    return tuple(_entry(number, conflict, labels, cut) for number, conflict in enumerate(ordered, 1))


def _entry(number: int, conflict: Conflict, labels: Mapping[str, int], cut: Cut) -> ConflictEntry:
    facts = tuple(sorted(labels[key] for key in conflict.statement_ids if key in labels))
    left_out = tuple(sorted(key for key in conflict.statement_ids if key in cut.statements))
    return ConflictEntry(number, conflict, facts, left_out, len(conflict.statement_ids) - len(facts) - len(left_out))


def _entities(material: Material, labels: Mapping[str, int]) -> tuple[RelatedEntity, ...]:
    """Those of the facts that are shown, in the order they were gathered."""
    shown = {ref.id for key in labels for ref in material.statements[key].entities}
    return tuple(entity for key, entity in material.entities.items() if key in shown)


def _relationships(facts: Sequence[Fact], entities: Sequence[RelatedEntity]) -> tuple[Relationship, ...]:
    """Those of the facts that are shown, between entities that are; of contested facts none, as nobody knows yet."""
    shown = {entity.id: entity for entity in entities}
    return tuple(
        Relationship(each.id, each.type, shown[each.from_id], shown[each.to_id], fact)
        for fact in facts
        for each in fact.statement.relations
        if not fact.contested and each.from_id in shown and each.to_id in shown
    )


def _sources(evidence: Sequence[Evidence]) -> tuple[SourceName, ...]:
    """By name; the path instead, when two sources share a name."""
    known = {(piece.source_id, piece.source_name, piece.source_path) for piece in evidence}
    names = Counter(name for _, name, _ in known)
    found = [SourceName(key, path if names[name] > 1 and path else name) for key, name, path in known]
    return tuple(sorted(found, key=lambda source: (source.name, source.id)))


def _metadata(material: Material, wanted: Wanted, cut: Cut, has_facts: bool, elapsed_ms: int) -> Metadata:
    return Metadata(
        query=wanted.query,
        scope=wanted.scope,
        backend=material.search.backend,
        strategy=material.search.strategy,
        tier=STATEMENTS if has_facts or cut.statements else NOTHING,
        view_id=material.search.view_id,
        candidates=material.candidates,
        dropped=material.dropped,
        left_out=len(cut.statements),
        conflicts_left_out=len(cut.conflicts),
        as_of=wanted.as_of,
        degradation=material.degradation,
        elapsed_ms=elapsed_ms,
    )
