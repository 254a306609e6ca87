"""Writing the audit trail. Every mutation calls ``record`` once, inside its own transaction."""

from collections.abc import Mapping

from console.audit.models import Actor, AuditEvent
from console.http import current_request_id

type Facts = Mapping[str, str | int | float | bool | None]


def record(
    *,
    by: Actor,
    action: str,
    target: str,
    project: str = "",
    before: Facts | None = None,
    after: Facts | None = None,
) -> AuditEvent:
    """Add one event. ``before`` and ``after`` hold ids, names and choices: never a password, a token or an excerpt."""
    return AuditEvent.objects.create(
        actor_key=by.key,
        actor_name=by.name,
        action=action,
        target=target[:200],
        project=project,
        before=dict(before or {}),
        after=dict(after or {}),
        request_id=current_request_id(),
    )
