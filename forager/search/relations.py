"""Typed relations: statements whose attribute joins the entity they are about to the one that is its value.

Nothing is stored of them. A relation stands and falls with its statement, at every moment that can be asked about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from forager.extraction import lexicon
from forager.model.models import Entity, Mention, Statement
from forager.search import graph, narrowing
from forager.search.backend import Where
from forager.search.rows import Told

DENIED = "-"


@dataclass(frozen=True, slots=True)
class Relation:
    """``type`` is the attribute as the frame words it: “owner”, “depends on”."""

    row: Told
    type: str
    from_id: str
    to_id: str


def candidates(where: Where, entity: Entity | None) -> QuerySet[Statement]:
    """Statements that may hold a relation, of one entity where one is asked for, among its first mentions."""
    rows = narrowing.readable(where).exclude(attribute_key="")
    if entity is None:
        return rows
    mentions = Mention.objects.at(where.base.current_revision).filter(base=where.base, entity_id=entity.entity_id)
    items = mentions.order_by("id").values_list("item_id", flat=True)[: graph.MENTIONS_LOOKED_AT]
    return rows.filter(item_id__in=list(dict.fromkeys(items)))


def of_rows(where: Where, rows: Sequence[Told]) -> list[Relation]:
    """The relations among ``rows``, in their order; what is denied joins nothing."""
    said = [(row, row.frame) for row in rows if row.frame and row.attribute_key and row.frame["polarity"] != DENIED]
    links = graph.entities_in(where, [row for row, _ in said])
    names = graph.names_of(where, {i for ids in links.values() for i in ids})
    found = []
    for row, frame in said:
        start = graph.subject_of(row, links[row.item_id], names)
        end = _value(frame, [i for i in links[row.item_id] if i != start], names)
        if start and end:
            found.append(Relation(row, frame["attribute"], start, end))
    return found


def _value(frame: Mapping[str, Any], others: Sequence[str], names: graph.Names) -> str:
    """The entity the value names; of a statement by hand, which names its two alone, the other one."""
    value = lexicon.fold(frame["value_raw"])
    stated = next((i for i in others if value in names[i]), "")
    return stated or (others[0] if frame["value_type"] == "entity" and len(others) == 1 else "")
