"""Conflicts with their sides, rulings on them, and the trail of both."""

from forager.api import shapes
from forager.api.access import Scope
from forager.api.conflict_shapes import shape
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, NotFound, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339
from forager.model.models import Conflict, KnowledgeBase, ReviewEvent
from forager.review import rulings


@endpoint("GET", "/projects/<base>/conflicts", Scope.READ, query=shapes.ConflictQuery, answer=shapes.Page)
def list_conflicts(call: Call[shapes.ConflictQuery, None], base: str) -> shapes.Page:
    """The disagreements of a base, by status, type or subject."""
    row = call.base(base)
    rows = Conflict.objects.at(row.current_revision).filter(base=row).prefetch_related("sides__members")
    given = {name: value for name, value in call.query.items() if name in ("status", "type", "subject", "certainty")}
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
        raise refused(error) from error
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
        raise refused(error) from error
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


def refused(error: rulings.RulingRefused) -> Conflicting | ValidationFailed:
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
