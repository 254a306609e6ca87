"""Conflicts with their sides, rulings on them, and the trail of both."""

from forager.api import shapes
from forager.api.access import Scope
from forager.api.conflict_shapes import shape, shaped
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, NotFound, ValidationFailed
from forager.api.narrowed import moment
from forager.api.paging import paginate
from forager.api.shapes import queue
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
        lambda found: shaped(row, found, with_items=False),
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        total=row.open_conflict_count if given == {"status": "open"} else None,
        view_id=row.view_id,
    )


@endpoint("GET", "/conflicts/<conflict>", Scope.READ, answer=shapes.Conflict)
def get_conflict(call: Call[None, None], conflict: str) -> shapes.Conflict:
    """One conflict with the whole statements of its sides."""
    base, row = conflict_at(call, conflict)
    return shape(base, row, with_items=True)


@endpoint("POST", "/conflicts/<conflict>/resolve", Scope.REVIEW, body=shapes.Resolve, answer=queue.Ruled, errors=(409,))
def resolve_conflict(call: Call[None, shapes.Resolve], conflict: str) -> queue.Ruled:
    """Records a person's ruling, bound to the digest they read."""
    conflict_at(call, conflict)
    try:
        made = rulings.resolve(conflict, _ruling(call.body, call.body["expected_digest"], call.body.get("side_id", "")))
    except rulings.RulingRefused as error:
        raise refused(error) from error
    base, row = conflict_at(call, conflict)
    return {
        **shape(base, row, with_items=True),
        "decision_id": row.decision_id or None,
        "outcome": made.outcome,  # type: ignore[typeddict-item]
        "message": made.message,
    }


@endpoint(
    "POST", "/conflicts/<conflict>/reopen", Scope.REVIEW, body=shapes.Reopen, answer=shapes.Conflict, errors=(409,)
)
def reopen_conflict(call: Call[None, shapes.Reopen], conflict: str) -> shapes.Conflict:
    """Takes a ruling back; exactly what stood before stands again."""
    conflict_at(call, conflict)
    try:
        rulings.reopen(
            conflict,
            actor=call.body["actor"],
            notes=call.body.get("notes", ""),
            expected_decision=call.body.get("expected_decision", ""),
        )
    except rulings.RulingRefused as error:
        raise refused(error) from error
    return shape(*conflict_at(call, conflict), with_items=True)


@endpoint("POST", "/projects/<base>/conflicts/resolve", Scope.REVIEW, body=queue.ResolveMany, answer=queue.ResolvedMany)
def resolve_many(call: Call[None, queue.ResolveMany], base: str) -> queue.ResolvedMany:
    """One ruling on exactly the conflicts named, each bound to its digest; each is told what became of it."""
    row = call.base(base)
    asked = [
        rulings.Asked(one["conflict_id"], _ruling(call.body, one["expected_digest"], one.get("side_id", "")))
        for one in call.body["items"]
    ]
    outcomes = rulings.resolve_each(row.pk, asked)
    row.refresh_from_db()
    return {
        "project_id": row.pk,
        "outcomes": [
            {
                "conflict_id": o.conflict_id,
                "outcome": o.outcome,  # type: ignore[typeddict-item]
                "message": o.message,
                "decision_id": o.decision_id or None,
            }
            for o in outcomes
        ],
        "view_id": row.view_id,
    }


@endpoint("GET", "/projects/<base>/review-events", Scope.READ, query=shapes.TrailQuery, answer=shapes.Page)
def list_review_events(call: Call[shapes.TrailQuery, None], base: str) -> shapes.Page:
    """Who decided what, newest first; by a part of a name and between two times."""
    row, rows = call.base(base), ReviewEvent.objects.all()
    if "actor" in call.query:
        rows = rows.filter(actor__icontains=call.query["actor"])
    if "since" in call.query:
        rows = rows.filter(at__gte=moment(call.query["since"]))
    if "until" in call.query:
        rows = rows.filter(at__lt=moment(call.query["until"]))
    return paginate(
        rows.filter(base=row),
        ("-at", "-id"),
        lambda found: [event_shape(e) for e in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


def _ruling(body: shapes.Resolve | queue.ResolveMany, digest: str, side_id: str) -> rulings.Ruling:
    discriminator = body.get("discriminator")
    return rulings.Ruling(
        action=body["action"],
        actor=body["actor"],
        actor_key=body.get("actor_key", ""),
        expected_digest=digest,
        side_id=side_id,
        discriminator={"kind": discriminator["kind"], "value": discriminator["value"]} if discriminator else None,
        assignee=body.get("assignee", ""),
        notes=body.get("notes", ""),
    )


def refused(error: rulings.RulingRefused) -> Conflicting | ValidationFailed:
    if error.field:
        return ValidationFailed(str(error), fields={error.field: str(error)})
    return Conflicting(str(error))


def conflict_at[Q, B](call: Call[Q, B], conflict: str) -> tuple[KnowledgeBase, Conflict]:
    found = Conflict.objects.filter(conflict_id=conflict).select_related("base").order_by("-rev_from").first()
    if found is None:
        raise NotFound
    call.fence(found.base_id)
    rows = Conflict.objects.at(found.base.current_revision).filter(base=found.base, conflict_id=conflict)
    row = rows.prefetch_related("sides__members").first()
    if row is None:
        raise NotFound
    return found.base, row


def event_shape(row: ReviewEvent) -> shapes.ReviewEvent:
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
