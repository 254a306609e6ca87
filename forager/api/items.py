"""Statements as the wire shows them: whole rows for many ids in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import QuerySet

from forager.api import entities, grounds, shapes
from forager.api.grounds import Rest
from forager.api.times import rfc3339
from forager.model import states
from forager.model.ids import stable_id
from forager.model.models import Evidence, KnowledgeBase, Statement
from forager.search import narrowing, plain, relations
from forager.search.backend import Where
from forager.search.rows import Told

EXPANSIONS = frozenset({"evidence", "entities", "conflicts"})


def visible(base: KnowledgeBase) -> QuerySet[Statement]:
    return narrowing.queryset(narrowing.not_withheld(base))


def told(base: KnowledgeBase) -> QuerySet[Evidence]:
    """Evidence that readers see: none from documents that are off."""
    return Evidence.objects.at(base.current_revision).filter(base=base).exclude(source__document__state__in=states.OFF)


def present(base: KnowledgeBase, rows: Sequence[Told], expand: frozenset[str]) -> list[shapes.Item]:
    """The wire's items for some rows, with a fixed number of queries whatever their number."""
    if not rows:
        return []
    items = plain_items(base, rows)
    if "evidence" in expand:
        found = grounds.evidence(base, [item["id"] for item in items])
        for item in items:
            item["evidence"] = found[item["id"]]
    if "entities" in expand:
        _add_entities(base, items)
        _add_relationships(base, rows, items)
    if "conflicts" in expand:
        _add_conflicts(base, items)
    return items


def plain_items(base: KnowledgeBase, rows: Sequence[Told]) -> list[shapes.Item]:
    """Without anything expanded."""
    ids = [row.item_id for row in rows]
    rests, named = grounds.rests(base, ids), _entity_ids(base, ids)
    return [_shape(row, rests[row.item_id], named[row.item_id]) for row in rows]


def _entity_ids(base: KnowledgeBase, ids: list[str]) -> dict[str, list[str]]:
    revision = base.current_revision
    theirs, listed = plain.among("item_id", ids)
    told = plain.fetch(
        f"SELECT item_id, entity_id FROM forager_mention WHERE {theirs} "  # noqa: S608
        f"AND base_id || '' = %s AND entity_id <> '' AND {plain.seen()}",  # found by item, never by base
        [listed, base.pk, revision, revision],
    )
    found: dict[str, set[str]] = defaultdict(set)
    for item, entity in told:
        found[item].add(entity)
    return defaultdict(list, {item: sorted(entities) for item, entities in found.items()})


def _add_entities(base: KnowledgeBase, items: Sequence[shapes.Item]) -> None:
    by_id: dict[str, shapes.EntityRef] = {
        e.entity_id: {"id": e.entity_id, "canonical_name": e.canonical_name, "type": e.type}
        for e in entities.seen(base, {entity for item in items for entity in item["entity_ids"]})
    }
    for item in items:
        item["entities"] = [by_id[i] for i in item["entity_ids"] if i in by_id]


def _add_relationships(base: KnowledgeBase, rows: Sequence[Told], items: Sequence[shapes.Item]) -> None:
    joining = [row for row, item in zip(rows, items, strict=True) if len(item["entity_ids"]) > 1]
    found: dict[str, list[shapes.Relationship]] = defaultdict(list)
    for shape in relationships(base, relations.of_rows(Where(base), joining)):
        found[shape["item_id"]].append(shape)
    for item in items:
        item["relationships"] = found[item["id"]]


def relationships(base: KnowledgeBase, found: Sequence[relations.Relation]) -> list[shapes.Relationship]:
    pieces = grounds.evidence_ids(base, [each.row.item_id for each in found])
    return [_relationship(base, each, pieces[each.row.item_id]) for each in found]


def _relationship(base: KnowledgeBase, relation: relations.Relation, pieces: list[str]) -> shapes.Relationship:
    row = relation.row
    return {
        "id": stable_id("rel", base.namespace, row.item_id, relation.from_id, relation.to_id),
        "type": relation.type,
        "from_id": relation.from_id,
        "to_id": relation.to_id,
        "item_id": row.item_id,
        "statement": row.text,
        "support": row.support,
        "confidence": row.confidence,
        "evidence_ids": pieces,
    }


def _add_conflicts(base: KnowledgeBase, items: Sequence[shapes.Item]) -> None:
    ids, revision = [item["id"] for item in items], base.current_revision
    told = plain.fetch(
        f"SELECT m.item_id, c.conflict_id FROM forager_conflictmember m {plain.joined_in_order()} "  # noqa: S608
        f"forager_conflictside g ON g.id = m.side_id {plain.joined_in_order()} forager_conflict c "
        f"ON c.id = g.conflict_id WHERE m.item_id IN ({plain.marks(ids)}) AND c.base_id = %s AND c.status <> 'moot' "
        f"AND {plain.seen('c')}",
        [*ids, base.pk, revision, revision],
    )
    found: dict[str, set[str]] = defaultdict(set)
    for item_id, conflict in told:
        found[item_id].add(conflict)
    for item in items:
        item["conflict_ids"] = sorted(found[item["id"]])


def _shape(row: Told, rests: Sequence[Rest], named: list[str]) -> shapes.Item:
    bands = {r.band for r in rests}
    return {
        "id": row.item_id,
        "project_id": row.base_id,
        "type": row.type,
        "subject": row.subject,
        "subject_origin": row.subject_origin,
        "title": row.title,
        "statement": row.text,
        "attribute_key": row.attribute_key or None,
        "attribute_value": row.attribute_value or None,
        "frame": _frame(row),
        "entries": row.entries,
        "flags": row.flags,
        "support": row.support,
        "support_reason": row.support_reason,
        "confidence": row.confidence,
        "status": row.status,
        "scope": "general" if bands == {"general"} else "tenant",
        "entity_ids": named,
        "effective_date": row.effective_date or None,
        "recorded_at": rfc3339(row.recorded_at),
        "extractor_name": row.extractor_name,
        "extractor_version": row.extractor_version,
        "review_status": row.review_status,
        "superseded_by": row.superseded_by or None,
        "evidence_count": len(rests),
        "origins": len({r.origin_id or r.source_id for r in rests}),
        "document_ids": sorted({r.document_id for r in rests}),
        "source_ids": sorted({r.source_id for r in rests}),
    }


def _frame(row: Told) -> shapes.Frame | None:
    frame = row.frame
    if frame is None:
        return None
    return {
        "subject": frame["subject"],
        "attribute": frame["attribute"],
        "value_raw": frame["value_raw"],
        "value": frame["value"],
        "unit": frame["unit"],
        "polarity": frame["polarity"],
        "modality": frame["modality"],
        "qualifiers": frame["qualifiers"],
        "valid_from": frame["valid_from"] or None,
        "valid_to": frame["valid_to"] or None,
        "speaker": frame["speaker"] or None,
        "value_type": frame.get("value_type", ""),
        "bound": frame.get("bound", ""),
        "rule": frame.get("rule", ""),
    }
