"""Statements as edges between entities: who is named, what touches them, the neighbourhood, and the guided walk."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched

from forager.extraction import lexicon
from forager.model.models import Entity, Mention, Statement
from forager.model.revisioned import RevisionedQuerySet
from forager.search import narrowing, plain, words
from forager.search.backend import Where
from forager.search.rows import Told

LONGEST_NAME = 5
"""Words of a question that may be one name."""
MENTIONS_LOOKED_AT = 2000
"""Of an entity that much of a base speaks of, the first statements by age are looked at; reading stays bounded."""
ROUNDS = 6
MET = 50
"""Statements of a named entity in which its neighbours are met."""
BATCH = 400
type Names = Mapping[str, frozenset[str]]
"""Ids of entities to all their names, folded."""


@dataclass(frozen=True, slots=True)
class Edge:
    """``to_id`` is empty where the statement names one entity alone. ``inverse``: reached from its far end."""

    row: Statement
    from_id: str
    to_id: str
    inverse: bool
    depth: int
    score: float = 0.0


@dataclass(slots=True)
class Neighbourhood:
    """``entities`` are ids with the depth they were met at, the start with 0."""

    entities: dict[str, int]
    edges: list[Edge] = field(default_factory=list)
    truncated: bool = False


def named(where: Where, asked: Sequence[str]) -> list[Entity]:
    """The entities a question names: runs of its words among all names and ids, in id order."""
    folded = [lexicon.fold(w) for w in asked]
    ends = range(1, LONGEST_NAME + 1)
    runs = {" ".join(folded[at : at + n]) for at in range(len(folded)) for n in ends if at + n <= len(folded)}
    return _by_name(where, runs) if runs else []


def find(where: Where, text: str) -> Entity | None:
    """By id, else by any of its names; of several the one most is said of."""
    found = _told(where, list(_entities(where).filter(entity_id=text))) or _by_name(where, {lexicon.fold(text)})
    return min(found, key=lambda e: (-e.mention_count, e.entity_id), default=None)


def touching(where: Where, entities: Iterable[str]) -> list[Statement]:
    """Statements that speak of any of them, the most confident first."""
    ids = sorted(set(entities))
    if not ids:
        return []
    mentions = Mention.objects.at(where.base.current_revision).filter(base=where.base, entity_id__in=ids)
    items = list(dict.fromkeys(mentions.order_by("id").values_list("item_id", flat=True)[:MENTIONS_LOOKED_AT]))
    found: list[Statement] = []
    for some in batched(items, BATCH):
        found += narrowing.readable(where).filter(item_id__in=some)
    return sorted(found, key=lambda s: (-s.confidence, s.item_id))


def around(where: Where, entities: Sequence[Entity]) -> list[Statement]:
    """One hop further: what the neighbours of ``entities`` are themselves the subject of."""
    start = {e.entity_id for e in entities}
    met = {other for ids in entities_in(where, touching(where, start)[:MET]).values() for other in ids} - start
    far = touching(where, met)
    links, names = entities_in(where, far), names_of(where, met)
    return [row for row in far if subject_of(row, links[row.item_id], names) in met]


def standing(where: Where, entities: Iterable[str], limit: int) -> list[int]:
    """Row ids of statements that speak of any of them, the most confident first."""
    found = narrowing.statements(where)
    ids, revision = sorted(set(entities)), where.base.current_revision
    mentions = (
        f"SELECT item_id FROM forager_mention WHERE entity_id IN ({plain.marks(ids)}) AND base_id = %s "  # noqa: S608 - as below
        f"AND {plain.seen()} ORDER BY id LIMIT %s"
    )
    sql = (
        f"SELECT s.id FROM (SELECT DISTINCT item_id FROM ({mentions}) x) m "  # noqa: S608 - own words, values apart
        f"{plain.joined_in_order()} forager_statement s ON s.item_id = m.item_id WHERE {found.text} "
        "ORDER BY s.confidence DESC, s.item_id LIMIT %s"
    )
    values = [*ids, where.base.pk, revision, revision, MENTIONS_LOOKED_AT, *found.values, limit]
    return [pk for (pk,) in plain.fetch(sql, values)]


def neighbours(where: Where, start: Entity, *, depth: int, limit: int) -> Neighbourhood:
    """Breadth first in both directions; a statement is told once, at the depth it was first met."""
    found = Neighbourhood({start.entity_id: 0})
    frontier, seen = {start.entity_id}, set[str]()
    for level in range(1, depth + 1):
        fresh = [row for row in touching(where, frontier) if row.item_id not in seen]
        room = limit - len(found.edges)
        found.truncated |= len(fresh) > room
        edges = _edges(where, fresh[:room], frontier, level)
        seen |= {row.item_id for row in fresh}
        found.edges += edges
        frontier = {i for e in edges for i in (e.from_id, e.to_id) if i and i not in found.entities}
        found.entities |= dict.fromkeys(sorted(frontier), level)
    return found


def walk(where: Where, start: Entity, question: str, *, budget: int, beam: int) -> list[Edge]:
    """Follows, round by round, the unseen statements most like the question; best first, at most ``budget`` of them.

    Score = (1 + words of the question it says) x confidence.
    """
    asked = words.stems(question)
    reached, fresh = {start.entity_id}, {start.entity_id}
    waiting: dict[str, tuple[float, Statement]] = {}
    met, taken = set[str](), list[Edge]()
    for level in range(1, ROUNDS + 1):
        for row in touching(where, fresh):
            if row.item_id not in met:
                met.add(row.item_id)
                waiting[row.item_id] = _likeness(row, asked), row
        order = sorted(waiting, key=lambda item: (-waiting[item][0], item))
        best = [waiting.pop(item) for item in order[: min(beam, budget - len(taken))]]
        if not best:
            break
        rows = [row for _, row in best]
        scores = {row.item_id: score for score, row in best}
        taken += [replace(edge, score=scores[edge.row.item_id]) for edge in _edges(where, rows, reached, level)]
        fresh = {i for links in entities_in(where, rows).values() for i in links} - reached
        reached |= fresh
    return sorted(taken, key=lambda e: (-e.score, e.row.item_id))


def entities_of(where: Where, ids: Iterable[str]) -> dict[str, Entity]:
    return {e.entity_id: e for some in batched(sorted(ids), BATCH) for e in _entities(where).filter(entity_id__in=some)}


def _likeness(row: Statement, asked: frozenset[str]) -> float:
    said = words.stems(f"{row.text} {row.subject} {row.attribute_value}")
    return (1 + len(asked.intersection(said))) * row.confidence


def _edges(where: Where, rows: Sequence[Statement], reached: set[str], depth: int) -> list[Edge]:
    links = entities_in(where, rows)
    names = names_of(where, {i for ids in links.values() for i in ids})
    found = []
    for row in rows:
        ids = links[row.item_id]
        subject = subject_of(row, ids, names) or next((i for i in ids if i in reached), "")
        others = [i for i in ids if i != subject]
        far = next((i for i in others if i not in reached), others[0] if others else "")
        found.append(Edge(row, subject, far, inverse=subject not in reached, depth=depth))
    return found


def subject_of(row: Told, ids: Sequence[str], names: Names) -> str:
    """The entity its subject names, "" when that is none of them."""
    subject = lexicon.fold(row.subject)
    return next((i for i in ids if subject and subject in names[i]), "")


def entities_in(where: Where, rows: Sequence[Told]) -> dict[str, list[str]]:
    """The visible entities each statement speaks of, in id order."""
    found: dict[str, set[str]] = defaultdict(set)
    revision = where.base.current_revision
    for some in batched([row.item_id for row in rows], BATCH):
        sql = (
            f"SELECT m.item_id, m.entity_id FROM forager_mention m {plain.joined_in_order()} forager_entity e "  # noqa: S608
            f"ON e.entity_id = m.entity_id AND e.base_id = m.base_id WHERE m.item_id IN ({plain.marks(some)}) "
            f"AND m.base_id || '' = %s AND {plain.seen('m')} AND {plain.seen('e')} AND e.status <> 'withheld'"
        )
        for item, entity in plain.fetch(sql, [*some, where.base.pk, *[revision] * 4]):
            found[item].add(entity)
    return defaultdict(list, {item: sorted(ids) for item, ids in found.items()})


def names_of(where: Where, ids: Iterable[str]) -> Names:
    found: dict[str, set[str]] = defaultdict(set)
    revision = where.base.current_revision
    for some in batched(sorted(ids), BATCH):
        sql = (
            f"SELECT entity_id, folded FROM forager_alias WHERE entity_id IN ({plain.marks(some)}) "  # noqa: S608
            f"AND base_id || '' = %s AND {plain.seen()}"
        )
        for entity, folded in plain.fetch(sql, [*some, where.base.pk, revision, revision]):
            found[entity].add(folded)
    return defaultdict(frozenset, {entity: frozenset(names) for entity, names in found.items()})


def _by_name(where: Where, names: set[str]) -> list[Entity]:
    listed, revision = sorted(names), where.base.current_revision
    found = plain.fetch(
        f"SELECT DISTINCT entity_id FROM forager_alias WHERE base_id = %s AND folded IN ({plain.marks(listed)}) "  # noqa: S608
        f"AND {plain.seen()}",
        [where.base.pk, *listed, revision, revision],
    )
    ids = [entity for (entity,) in found]
    return _told(where, list(_entities(where).filter(entity_id__in=ids).order_by("entity_id"))) if ids else []


def _told(where: Where, entities: list[Entity]) -> list[Entity]:
    """Those that a reader of one band hears of at all: a name from elsewhere would tell that it is there."""
    if not where.band:
        return entities
    band = Where(where.base, include_historical=True, band=where.band)
    return [entity for entity in entities if standing(band, [entity.entity_id], 1)]


def _entities(where: Where) -> RevisionedQuerySet[Entity]:
    """Those that readers see: none that only withheld statements speak of."""
    return Entity.objects.at(where.base.current_revision).filter(base=where.base).exclude(status="withheld")
