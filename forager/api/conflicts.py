"""Conflicts with their sides, rulings on them, and the trail of both."""

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, NotFound, ValidationFailed
from forager.api.paging import paginate
from forager.api.statements import EXPANSIONS, present, visible
from forager.api.times import rfc3339
from forager.model.models import Conflict, ConflictSide, Decision, KnowledgeBase, ReviewEvent
from forager.review import rulings


@endpoint("GET", "/projects/<base>/conflicts", Scope.READ, query=shapes.ConflictQuery, answer=shapes.Page)
def list_conflicts(call: Call[shapes.ConflictQuery, None], base: str) -> shapes.Page:
    """The disagreements of a base, by status, type or subject."""
    row = call.base(base)
    rows = Conflict.objects.at(row.current_revision).filter(base=row).prefetch_related("sides__members")
    given = {name: value for name, value in call.query.items() if name in ("status", "type", "subject")}
    return paginate(
        rows.filter(**given),
        ("conflict_id",),
        lambda found: [shape(row, c, with_items=False) for c in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        total=row.open_conflict_count if given == {"status": "open"} else None,
        view_id=row.view_id,
    )


@endpoint("GET", "/conflicts/<conflict>", Scope.READ, answer=shapes.Conflict)
def get_conflict(call: Call[None, None], conflict: str) -> shapes.Conflict:
    """One conflict with the whole statements of its sides."""
    base, row = _conflict(call, conflict)
    return shape(base, row, with_items=True)


@endpoint(
    "POST", "/conflicts/<conflict>/resolve", Scope.REVIEW, body=shapes.Resolve, answer=shapes.Conflict, errors=(409,)
)
def resolve_conflict(call: Call[None, shapes.Resolve], conflict: str) -> shapes.Conflict:
    """Records a person's ruling, bound to the digest they read."""
    _conflict(call, conflict)
    body, discriminator = call.body, call.body.get("discriminator")
    ruling = rulings.Ruling(
        action=body["action"],
        actor=body["actor"],
        expected_digest=body["expected_digest"],
        side_id=body.get("side_id", ""),
        discriminator={"kind": discriminator["kind"], "value": discriminator["value"]} if discriminator else None,
        assignee=body.get("assignee", ""),
        notes=body.get("notes", ""),
    )
    try:
        rulings.resolve(conflict, ruling)
    except rulings.RulingRefused as error:
        raise _refused(error) from error
    return shape(*_conflict(call, conflict), with_items=True)


@endpoint(
    "POST", "/conflicts/<conflict>/reopen", Scope.REVIEW, body=shapes.Reopen, answer=shapes.Conflict, errors=(409,)
)
def reopen_conflict(call: Call[None, shapes.Reopen], conflict: str) -> shapes.Conflict:
    """Takes a ruling back; exactly what stood before stands again."""
    _conflict(call, conflict)
    try:
        rulings.reopen(conflict, actor=call.body["actor"], notes=call.body.get("notes", ""))
    except rulings.RulingRefused as error:
        raise _refused(error) from error
    return shape(*_conflict(call, conflict), with_items=True)


@endpoint("GET", "/projects/<base>/review-events", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_review_events(call: Call[shapes.ListQuery, None], base: str) -> shapes.Page:
    """Who decided what, newest first."""
    row = call.base(base)
    return paginate(
        ReviewEvent.objects.filter(base=row),
        ("-at", "-id"),
        lambda found: [_event(e) for e in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


def _refused(error: rulings.RulingRefused) -> Conflicting | ValidationFailed:
    if error.field:
        return ValidationFailed(str(error), fields={error.field: str(error)})
    return Conflicting(str(error))


def _conflict[B](call: Call[None, B], conflict: str) -> tuple[KnowledgeBase, Conflict]:
    found = Conflict.objects.filter(conflict_id=conflict).select_related("base").order_by("-rev_from").first()
    if found is None:
        raise NotFound
    call.fence(found.base_id)
    rows = Conflict.objects.at(found.base.current_revision).filter(base=found.base, conflict_id=conflict)
    row = rows.prefetch_related("sides__members").first()
    if row is None:
        raise NotFound
    return found.base, row


def shape(base: KnowledgeBase, row: Conflict, *, with_items: bool) -> shapes.Conflict:
    sides = list(row.sides.all())
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
        "description": row.description,
        "why": row.why,
        "sides": [_side(s) for s in sides],
        "item_ids": item_ids,
        "source_ids": sorted({m.source_id for s in sides for m in s.members.all()}),
        "suggested_resolution": {"winner_id": suggestion["winner"], "reason": suggestion["reason"]}
        if suggestion
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
        "winner_id": rulings.winner_id(row, decision),
        "discriminator": decision.discriminator,
        "notes": decision.notes,
        "actor": decision.actor,
        "decided_at": rfc3339(decision.decided_at),
    }


def _event(row: ReviewEvent) -> shapes.ReviewEvent:
    return {
        "id": row.pk,
        "target_id": row.target_id,
        "action": row.action,
        "before": row.before,
        "after": row.after,
        "actor": row.actor,
        "notes": row.notes,
        "at": rfc3339(row.at),
    }
