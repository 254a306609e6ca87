"""Several contexts as one, so that an answer that rests on all of them is held to all of them."""

from collections.abc import Sequence
from dataclasses import replace

from knowledge.context.model import ConflictEntry, Fact, KnowledgeContext


def joined(contexts: Sequence[KnowledgeContext]) -> KnowledgeContext:
    """At least one. A statement of several is one fact with all their evidence; relationships are left out."""
    facts: dict[str, Fact] = {}
    for each in (fact for context in contexts for fact in context.facts):
        facts[each.statement.id] = _both(facts[each.statement.id], each) if each.statement.id in facts else each
    labels = {key: number for number, key in enumerate(facts, 1)}
    conflicts: dict[str, ConflictEntry] = {}
    for context in contexts:
        of_label = {fact.label: labels[fact.statement.id] for fact in context.facts}
        for entry in context.conflicts:
            known = conflicts.get(entry.conflict.id, replace(entry, facts=()))
            told = dict.fromkeys((*known.facts, *(of_label[label] for label in entry.facts if label in of_label)))
            conflicts[entry.conflict.id] = replace(known, facts=tuple(told))
    return KnowledgeContext(
        facts=tuple(replace(fact, label=labels[key], successor=None) for key, fact in facts.items()),
        evidence=tuple({piece.id: piece for context in contexts for piece in context.evidence}.values()),
        entities=tuple({one.id: one for context in contexts for one in context.entities}.values()),
        relationships=(),
        conflicts=tuple(replace(entry, label=number) for number, entry in enumerate(conflicts.values(), 1)),
        sources=tuple({one.id: one for context in contexts for one in context.sources}.values()),
        metadata=replace(contexts[0].metadata, query=" ".join(each.metadata.query for each in contexts)),
    )


def _both(one: Fact, other: Fact) -> Fact:
    evidence = {piece.id: piece for piece in (*one.evidence, *other.evidence)}
    return replace(
        one,
        evidence=tuple(evidence.values()),
        unlocated=not evidence,
        contested=one.contested or other.contested,
    )
