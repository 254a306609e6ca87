"""Reading the audit trail."""

from console.audit.models import AuditEvent


def kinds() -> list[str]:
    """What events are about, in order: the part of their action before the dot."""
    actions = AuditEvent.objects.order_by().values_list("action", flat=True).distinct()
    return sorted({action.partition(".")[0] for action in actions})
