"""What people decided, as it stands: also what has lost its footing and waits for it to return."""

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.paging import paginate
from forager.api.times import rfc3339
from forager.model.models import Decision
from forager.review import looks


@endpoint("GET", "/projects/<base>/decisions", Scope.READ, query=shapes.DecisionQuery, answer=shapes.Page)
def list_decisions(call: Call[shapes.DecisionQuery, None], base: str) -> shapes.Page:
    """Decisions by state; an orphaned one found nothing it was made about and is kept."""
    row = call.base(base)
    given = {name: value for name, value in call.query.items() if name in ("state", "kind")}
    rows = Decision.objects.filter(base=row, **given).exclude(state__in=looks.UNSEEN)
    return paginate(
        rows,
        ("-decided_at", "-id"),
        lambda found: [_shape(d) for d in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        total=rows.count(),
        view_id=row.view_id,
    )


def _shape(row: Decision) -> shapes.StoredDecision:
    return {
        "id": row.pk,
        "kind": row.kind,
        "action": row.action,
        "state": row.state,
        "anchor": row.anchor,
        "target_id": row.target_id,
        "notes": row.notes,
        "actor": row.actor,
        "decided_at": rfc3339(row.decided_at),
    }
