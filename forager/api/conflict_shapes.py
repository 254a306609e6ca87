"""Conflicts as the wire shows them, with sides, suggestion and standing ruling."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import prefetch_related_objects

from forager.api import shapes
from forager.api.items import EXPANSIONS, present
from forager.api.times import rfc3339
from forager.model.models import Conflict, ConflictSide, Decision, KnowledgeBase
from forager.model.reading import several
from forager.review import rulings
from forager.search import narrowing, plain
from forager.search import rows as statements
from forager.search.rows import StatementRow

MOOT = "A side of this is withheld or gone, so there is nothing to decide. It comes back when its sources do."


def many(base: KnowledgeBase, ids: Iterable[str]) -> list[shapes.Conflict]:
    """Whole conflicts by id, in id order."""
    listed, revision = list(ids), base.current_revision
    if not listed:
        return []
    condition = f"conflict_id IN ({plain.marks(listed)}) AND base_id || '' = %s AND {plain.seen()} ORDER BY conflict_id"
    found = several(Conflict, condition, [*listed, base.pk, revision, revision])
    prefetch_related_objects(found, "sides__members")
    return shaped(base, found, with_items=True)


def shape(base: KnowledgeBase, row: Conflict, *, with_items: bool) -> shapes.Conflict:
    return shaped(base, [row], with_items=with_items)[0]


def shaped(base: KnowledgeBase, rows: Sequence[Conflict], *, with_items: bool) -> list[shapes.Conflict]:
    """In their order, in a fixed number of queries; ``rows`` bring their sides and members along."""
    ids = {row.pk: _item_ids(row) for row in rows}
    wanted = sorted({item for mine in ids.values() for item in mine}) if with_items else []
    items = {item["id"]: item for item in present(base, _statements(base, wanted), EXPANSIONS)}
    decisions = Decision.objects.in_bulk([row.decision_id for row in rows if row.decision_id])
    return [_shape(row, ids[row.pk], items, decisions.get(row.decision_id)) for row in rows]


def _statements(base: KnowledgeBase, ids: Sequence[str]) -> list[StatementRow]:
    found = narrowing.not_withheld(base)
    found.add(f"s.item_id IN ({plain.marks(ids)})", *ids)
    return statements.where(found.text, found.values) if ids else []


def _item_ids(row: Conflict) -> list[str]:
    if row.status == "moot":
        return []
    return sorted({m.item_id for side in row.sides.all() for m in side.members.all() if m.item_id})


def _shape(
    row: Conflict, item_ids: list[str], items: Mapping[str, shapes.Item], decision: Decision | None
) -> shapes.Conflict:
    is_moot = row.status == "moot"
    sides = [] if is_moot else list(row.sides.all())
    suggestion = row.suggestion
    return {
        "id": row.conflict_id,
        "project_id": row.base_id,
        "type": row.type,
        "subject": row.subject,
        "attribute_key": row.attribute_key,
        "status": row.status,
        "certainty": row.certainty,
        "description": MOOT if is_moot else row.description,
        "why": "" if is_moot else row.why,
        "sides": [_side(s) for s in sides],
        "item_ids": item_ids,
        "source_ids": sorted({m.source_id for s in sides for m in s.members.all()}),
        "suggested_resolution": {"winner_id": suggestion["winner"], "reason": suggestion["reason"]}
        if suggestion and not is_moot
        else None,
        "resolution": _resolution(row, decision) if decision else None,
        "assignee": row.assignee or None,
        "digest": row.digest,
        "items": [items[each] for each in item_ids if each in items],
        "detected_at": rfc3339(row.detected_at),
    }


def _side(side: ConflictSide) -> shapes.Side:
    members = list(side.members.all())
    return {
        "id": side.side_id,
        "value": side.value,
        "value_raw": side.value_raw,
        "item_ids": sorted({m.item_id for m in members if m.item_id}),
        "source_ids": sorted({m.source_id for m in members}),
        "origins": side.origins,
        "digest": side.digest,
    }


def _resolution(row: Conflict, decision: Decision) -> shapes.Resolution:
    return {
        "action": decision.action,
        "winner_id": None if row.status == "moot" else rulings.winner_id(row, decision),
        "discriminator": decision.discriminator,
        "notes": decision.notes,
        "actor": decision.actor,
        "decided_at": rfc3339(decision.decided_at),
    }
