"""The audit trail."""

from django.core.paginator import Paginator
from django.http import HttpResponse

from console.audit.models import AuditEvent
from console.pages.desk import Desk, door
from console.pages.show.times import moment
from console.policy import Permission

PER_PAGE = 50


@door(get=Permission.MANAGE_SETTINGS)
def audit(desk: Desk) -> HttpResponse:
    action = desk.request.GET.get("action", "")
    actor = desk.request.GET.get("actor", "")
    events = AuditEvent.objects.of_action(action).by_actor(actor)
    page = Paginator(events, PER_PAGE).get_page(desk.request.GET.get("page"))
    context = {
        "rows": [_row(event) for event in page],
        "page": page,
        "action": action,
        "actor": actor,
        "filters": {"action": action, "actor": actor},
    }
    return desk.answer("pages/audit/list.html", context, regions={"events": "pages/audit/list.html#events"})


def _row(event: AuditEvent) -> dict[str, object]:
    return {
        "at": moment(event.at),
        "actor": event.actor_name,
        "action": event.action.replace(".", " ").replace("_", " ").capitalize(),
        "target": event.target,
        "project": event.project,
        "facts": _facts(event),
        "request_id": event.request_id,
    }


def _facts(event: AuditEvent) -> list[tuple[str, str, str]]:
    """Each fact with what it was and what it became."""
    names = [*event.before, *(name for name in event.after if name not in event.before)]
    return [(name.replace("_", " "), _word(event.before, name), _word(event.after, name)) for name in names]


def _word(facts: dict[str, object], name: str) -> str:
    value = facts.get(name, "")
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str("" if value is None else value)
