"""Reading the audit trail."""

from dataclasses import dataclass
from datetime import timedelta
from statistics import median

from django.utils import timezone

from console.audit.models import AuditEvent

RULED = "conflict.ruled"
LATELY = timedelta(days=30)
MOST = 2000
"""Rulings looked at, newest first: more would not move a median."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians over the rulings of the last 30 days that tell them, with how many do; None where none does.

    ``seconds`` from reading to recording; ``presses``: keys and clicks beside the reason, as the browser counted.
    """

    seconds: float | None
    timed: int
    presses: float | None
    counted: int


def kinds() -> list[str]:
    """What events are about, in order: the part of their action before the dot."""
    actions = AuditEvent.objects.order_by().values_list("action", flat=True).distinct()
    return sorted({action.partition(".")[0] for action in actions})


def measured_rulings(base_id: str) -> Measured:
    """Of one knowledge base, whichever project they were made in; those the engine refused do not count."""
    since = timezone.now() - LATELY
    events = AuditEvent.objects.filter(action=RULED, at__gte=since, after__base=base_id)
    facts = [after for after in events.values_list("after", flat=True)[:MOST] if "decision" in after]
    seconds = [after["seconds"] for after in facts if "seconds" in after]
    presses = [after["presses"] for after in facts if "presses" in after]
    return Measured(
        median(seconds) if seconds else None, len(seconds), median(presses) if presses else None, len(presses)
    )
