"""Who and what the facts are about."""

from collections import Counter
from collections.abc import Mapping, Sequence

from knowledge.context.model import RelatedEntity
from knowledge.failures import Failed
from knowledge.provider import KnowledgeProvider
from knowledge.records import Entity, EntityRef, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Band

ENTITY_LIMIT = 8


def related_entities(
    provider: KnowledgeProvider, scope: KnowledgeScope, statements: Sequence[Statement], told: Mapping[str, Entity]
) -> dict[str, RelatedEntity]:
    """The most frequent first; ``told`` ones need no call. Without aliases where they cannot be read."""
    refs: dict[str, EntityRef] = {}
    counts: Counter[str] = Counter()
    for statement in statements:
        for ref in statement.entities:
            refs.setdefault(ref.id, ref)
            counts[ref.id] += 1
    ordered = sorted(refs.values(), key=lambda ref: (-counts[ref.id], ref.name, ref.id))[:ENTITY_LIMIT]
    return {ref.id: _related(provider, scope, ref, told.get(ref.id)) for ref in ordered}


def _related(provider: KnowledgeProvider, scope: KnowledgeScope, ref: EntityRef, told: Entity | None) -> RelatedEntity:
    if told is None:
        asked = provider.entity(scope, ref.id)
        if isinstance(asked, Failed):
            return RelatedEntity(ref.id, ref.name, ref.type, ())
        told = asked.value
    if not scope.allows(Band.TENANT):  # nobody knows which documents an alias stands in
        return RelatedEntity(ref.id, told.name, told.type, ())
    aliases = sorted({alias.alias for alias in told.aliases} - {told.name})
    return RelatedEntity(ref.id, told.name, told.type, tuple(aliases))
