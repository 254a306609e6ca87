"""Conflicts as the wire shows them, with sides, suggestion and standing ruling."""

from collections.abc import Iterable

from forager.api import shapes
from forager.api.items import EXPANSIONS, present, visible
from forager.api.times import rfc3339
from forager.model.models import Conflict, ConflictSide, Decision, KnowledgeBase
from forager.review import rulings

MOOT = "A side of this is withheld or gone, so there is nothing to decide. It comes back when its sources do."


def many(base: KnowledgeBase, ids: Iterable[str]) -> list[shapes.Conflict]:
    """Whole conflicts by id, in id order."""
    rows = Conflict.objects.at(base.current_revision).filter(base=base, conflict_id__in=list(ids))
    return [shape(base, c, with_items=True) for c in rows.prefetch_related("sides__members").order_by("conflict_id")]


def shape(base: KnowledgeBase, row: Conflict, *, with_items: bool) -> shapes.Conflict:
    is_moot = row.status == "moot"
    sides = [] if is_moot else list(row.sides.all())
    item_ids = sorted({m.item_id for s in sides for m in s.members.all() if m.item_id})
    items = present(base, list(visible(base).filter(item_id__in=item_ids)), EXPANSIONS) if with_items else []
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
        "resolution": _resolution(row),
        "assignee": row.assignee or None,
        "digest": row.digest,
        "items": items,
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


def _resolution(row: Conflict) -> shapes.Resolution | None:
    decision = Decision.objects.filter(pk=row.decision_id).first() if row.decision_id else None
    if decision is None:
        return None
    return {
        "action": decision.action,
        "winner_id": None if row.status == "moot" else rulings.winner_id(row, decision),
        "discriminator": decision.discriminator,
        "notes": decision.notes,
        "actor": decision.actor,
        "decided_at": rfc3339(decision.decided_at),
    }
