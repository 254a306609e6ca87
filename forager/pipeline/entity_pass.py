"""Resolves the names of the whole base to entities and writes what changed."""

from collections import Counter, defaultdict
from itertools import batched

from forager.extraction import lexicon
from forager.model.models import Alias, Entity, KnowledgeBase, Mention
from forager.pipeline import merge_candidates, vocabularies
from forager.pipeline.merge_candidates import identity_of
from forager.pipeline.recording import close
from forager.resolution.entities import FoundEntity, resolve
from forager.resolution.name_links import NamedAs
from forager.review import merging

BATCH = 500


def run(base: KnowledgeBase) -> None:
    mentions = list(Mention.objects.pending().filter(base=base))
    found = resolve(_named(mentions), merging.decided(base, vocabularies.words_of(base).aliases))
    of_name: dict[str, str] = {}
    for entity in found:
        identity = identity_of(base, entity)
        of_name.update({lexicon.fold(n): identity for n in (entity.name, *(a.alias for a in entity.aliases))})
    _link_mentions(base, mentions, of_name)
    _write_entities(base, found, mentions, of_name)
    _write_aliases(base, found)
    merge_candidates.write(base, found)
    merging.settle(base, frozenset().union(*(e.names for e in found)))


def _named(mentions: list[Mention]) -> list[NamedAs]:
    counts: Counter[tuple[str, str, tuple[tuple[str, str], ...]]] = Counter()
    for mention in mentions:
        counts[mention.name, mention.type, tuple((k, v) for k, v in mention.facts)] += 1
    return [NamedAs(name, kind, count, facts) for (name, kind, facts), count in sorted(counts.items())]


def _link_mentions(base: KnowledgeBase, mentions: list[Mention], of_name: dict[str, str]) -> None:
    """A mention read by the published revision keeps its old link there; the new one begins with the next."""
    moved, fresh, linked = [], [], defaultdict(list)
    for mention in mentions:
        entity_id = of_name[lexicon.fold(mention.name)]
        if mention.entity_id == entity_id:
            continue
        if mention.rev_from < base.next_revision:
            moved.append(mention.pk)
            mention.pk, mention.rev_from = None, base.next_revision
            mention.entity_id = entity_id
            fresh.append(mention)
        else:
            linked[entity_id].append(mention.pk)
    for entity_id, mine in linked.items():
        for some in batched(mine, BATCH):
            Mention.objects.filter(pk__in=some).update(entity_id=entity_id)
    close(Mention.objects.filter(pk__in=moved), base)
    Mention.objects.bulk_create(fresh, BATCH)


def _write_entities(
    base: KnowledgeBase, found: list[FoundEntity], mentions: list[Mention], of_name: dict[str, str]
) -> None:
    items: dict[str, set[str]] = defaultdict(set)
    for mention in mentions:
        items[of_name[lexicon.fold(mention.name)]].add(mention.item_id)
    wanted = {}
    for entity in found:
        identity = of_name[lexicon.fold(entity.name)]
        wanted[identity] = Entity(
            entity_id=identity,
            base=base,
            type=entity.type,
            canonical_name=entity.name,
            confidence=min((a.confidence for a in entity.aliases), default=1.0),
            mention_count=entity.mentions,
            knowledge_count=len(items[identity]),
            rev_from=base.next_revision,
        )
    known = {e.entity_id: e for e in Entity.objects.pending().filter(base=base)}
    changed = [i for i, e in known.items() if i not in wanted or _content(e) != _content(wanted[i])]
    close(Entity.objects.pending().filter(base=base, entity_id__in=changed), base)
    Entity.objects.bulk_create([e for i, e in wanted.items() if i not in known or i in set(changed)], BATCH)


def _content(entity: Entity) -> tuple[object, ...]:
    return entity.type, entity.canonical_name, entity.mention_count, entity.knowledge_count, entity.confidence


def _write_aliases(base: KnowledgeBase, found: list[FoundEntity]) -> None:
    wanted = {}
    for entity in found:
        identity = identity_of(base, entity)
        names = [(entity.name, "name", "as written", 1.0, False)]
        names += [(a.alias, a.kind, a.reason, a.confidence, a.separable) for a in entity.aliases]
        for alias, kind, reason, confidence, separable in names:
            row = Alias(
                base=base,
                entity_id=identity,
                alias=alias[:300],
                folded=lexicon.fold(alias)[:300],
                kind=kind,
                reason=reason[:300],
                confidence=confidence,
                separable=separable,
                rev_from=base.next_revision,
            )
            wanted[identity, row.folded, kind, row.reason, separable] = row
    known = {
        (a.entity_id, a.folded, a.kind, a.reason, a.separable): a.pk for a in Alias.objects.pending().filter(base=base)
    }
    close(Alias.objects.filter(pk__in=[pk for key, pk in known.items() if key not in wanted]), base)
    Alias.objects.bulk_create([row for key, row in wanted.items() if key not in known], BATCH)
