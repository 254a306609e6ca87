"""What is older than it is kept goes: bytes of packages, the trail, calls of agents, receipts acted on, backups.

Nothing goes unless a setting says so. What a person may still want to decide on, or a result rests on, stays.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Model, QuerySet

from console.audit.actions import record
from console.audit.models import Actor, AuditEvent
from console.backups.actions import let_backup_go, outdated
from console.env import Values
from console.feed.models import Receipt
from console.missions.models import AttemptState
from console.packages.actions import purge_packages
from console.packages.models import Package
from console.projects.models import Project
from console.proposals.models import Proposal
from console.tokens.models import ToolCall

AT_ONCE = 2000
"""Rows of a kind in one pass, so that no pass holds up what else is written; the rest goes with the next."""
ENDED = (Receipt.State.APPLIED, Receipt.State.DISCARDED)


@dataclass(frozen=True, slots=True)
class LetGo:
    """How many of each went; ``is_all`` is False where more wait for the next pass."""

    packages: int
    events: int
    calls: int
    receipts: int
    backups: int = 0

    @property
    def is_all(self) -> bool:
        return max(self.packages, self.events, self.calls, self.receipts) < AT_ONCE


def let_go(*, by: Actor, values: Values, now: datetime) -> LetGo:
    def before(name: str) -> datetime | None:
        days = values.number(name)
        return now - timedelta(days=days) if days else None

    return LetGo(
        packages=_packages(by, before("keep_packages_days")),
        events=_events(by, before("keep_audit_days")),
        calls=_rows(ToolCall.objects.all(), "at", before("keep_calls_days")),
        receipts=_rows(Receipt.objects.filter(state__in=ENDED), "received_at", before("keep_receipts_days")),
        backups=_backups(by, values, before("keep_backups_days")),
    )


def _packages(by: Actor, first: datetime | None) -> int:
    """Their bytes; digests and manifests stay. What a proposal, a mission at work or its result rests on is kept."""
    if first is None:
        return 0
    old = Package.objects.filter(at__lt=first, purged_at=None)
    old = old.exclude(key__in=Proposal.objects.undecided().values("package"))
    old = old.exclude(token__attempts__state=AttemptState.WORKING).filter(results=None)
    listed = list(old.order_by("at").values_list("pk", "token__project_id")[:AT_ONCE])
    because = f"older than it is kept: {first.date().isoformat()}"
    gone = 0
    for project in Project.objects.filter(pk__in={project for _, project in listed}):
        mine = [pk for pk, owner in listed if owner == project.pk]
        with transaction.atomic():
            gone += purge_packages(by=by, project=project.slug, packages=mine, because=because)
    return gone


def _events(by: Actor, first: datetime | None) -> int:
    """That the trail was shortened, and by how much, is itself in it."""
    with transaction.atomic():
        gone = _rows(AuditEvent.objects.all(), "at", first)
        if gone and first is not None:
            record(by=by, action="audit.shortened", target=first.date().isoformat(), after={"events": gone})
    return gone


def _backups(by: Actor, values: Values, first: datetime | None) -> int:
    old = outdated(first) if first is not None else []
    return sum(let_backup_go(by=by, backup=each, values=values) for each in old)


def _rows[M: Model](rows: QuerySet[M], moment: str, first: datetime | None) -> int:
    """The oldest go first."""
    if first is None:
        return 0
    old = list(rows.filter(**{f"{moment}__lt": first}).order_by(moment).values_list("pk", flat=True)[:AT_ONCE])
    return rows.filter(pk__in=old).delete()[0] if old else 0
