"""The review queue: which disagreements, in which order, and where one stands among them.

Open ones come riskiest first, ruled ones newest first. A place in the queue is a key of the row, never a position, so
rows that come, go or move between two reads are neither skipped nor shown under another's name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Q, QuerySet, Sum, When
from django.utils import timezone

from forager.model.models import Conflict, Decision, KnowledgeBase
from forager.review import risk

OPEN = Q(status="open", certainty="dispute")
TABS: Mapping[str, Q] = {
    "open": OPEN,
    "assigned": Q(status="open") & ~Q(assignee=""),
    "maybe": Q(status="open", certainty="candidate"),
    "solved": Q(status__in=("resolved", "dismissed")),
}
BY_RISK: tuple[str, ...] = ("-risk", "conflict_id")
BY_RULING: tuple[str, ...] = ("-ruled_at", "conflict_id")
RECORD = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Asked:
    """What of the queue is asked for; empty means any. ``day`` fixes the arithmetic of risk for one walk through it."""

    tab: str = "open"
    type: str = ""
    attribute: str = ""
    assignee: str = ""
    min_sources: int = 0
    older_than: int = 0
    day: int = field(default_factory=risk.today)

    @property
    def is_by_risk(self) -> bool:
        return self.tab != "solved"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conflict stands among those asked for; ``position`` is 0 when it is none of them."""

    position: int
    total: int
    before: str
    after: str


def rows(base: KnowledgeBase, asked: Asked) -> QuerySet[Conflict]:
    """The rows asked for, in the order of the queue."""
    found = _narrowed(_standing(base).filter(TABS[asked.tab]), asked)
    return _ordered(found, asked)


def these(base: KnowledgeBase, asked: Asked, ids: Sequence[str]) -> QuerySet[Conflict]:
    """Exactly these, whatever became of them, riskiest first."""
    return risk.ordered(_standing(base).filter(conflict_id__in=ids), asked.day).order_by(*BY_RISK)


def after(found: QuerySet[Conflict], asked: Asked, key: tuple[str, str]) -> QuerySet[Conflict]:
    """Those that come after the row of ``key``, as ``key_of`` made it."""
    return found.filter(_beyond(asked, key, forward=True))


def key_of(row: Conflict, asked: Asked) -> tuple[str, str]:
    """What orders a row that ``rows`` gave."""
    first = str(getattr(row, "risk", 0)) if asked.is_by_risk else _stamp(row)
    return first, row.conflict_id


def place(base: KnowledgeBase, asked: Asked, conflict: Conflict) -> Place:
    """Also of one that has left the queue, as when it was just ruled: what came after it there comes after it still."""
    found = rows(base, asked)
    row = risk.ordered(Conflict.objects.filter(pk=conflict.pk), asked.day).get()
    key = key_of(row, asked)
    others = found.exclude(pk=conflict.pk)
    later = _first_id(others.filter(_beyond(asked, key, forward=True)))
    earlier = others.filter(_beyond(asked, key, forward=False)).reverse()
    position = earlier.count() + 1 if found.filter(pk=conflict.pk).exists() else 0
    return Place(position, found.count(), _first_id(earlier), later)


def counts(base: KnowledgeBase, asked: Asked) -> dict[str, dict[str, int]]:
    """How many stand in each tab, and of the tab asked for how many of each type and who was asked; in one reading."""
    inside = {name: Case(When(is_in, then=1), default=0) for name, is_in in TABS.items()}
    grouped = _standing(base).values("type", "assignee").annotate(**{each: Sum(case) for each, case in inside.items()})
    found: list[dict[str, Any]] = [dict(row) for row in grouped.order_by("type", "assignee")]
    types, waits = Counter[str](), Counter[str]()
    for row in found:
        types[row["type"]] += row[asked.tab]
        waits[row["assignee"]] += row[asked.tab]
    orphaned = Decision.objects.filter(base=base, state="orphaned").count()
    return {
        "tabs": {**{name: sum(row[name] for row in found) for name in TABS}, "orphaned": orphaned},
        "types": {name: number for name, number in types.items() if number},
        "assignees": dict([(who, waits[who]) for who in sorted(waits) if who and waits[who]][:50]),
    }


def record(base: KnowledgeBase) -> dict[str, int]:
    """What people did here in the last 30 days: rulings, how many were taken back, how many chose as suggested."""
    made = Decision.objects.filter(base=base, kind="ruling", decided_at__gte=timezone.now() - RECORD)
    made = made.exclude(state__in=("awaiting", "parted", "seconded"))
    return {
        "rulings": made.count(),
        "undone": made.filter(state="reopened").count(),
        "with_suggestion": made.exclude(as_suggested=None).count(),
        "as_suggested": made.filter(as_suggested=True).count(),
    }


def _standing(base: KnowledgeBase) -> QuerySet[Conflict]:
    return Conflict.objects.at(base.current_revision).filter(base=base)


def _narrowed(found: QuerySet[Conflict], asked: Asked) -> QuerySet[Conflict]:
    if asked.type:
        found = found.filter(type=asked.type)
    if asked.attribute:
        found = found.filter(attribute_key__icontains=asked.attribute)
    if asked.assignee:
        found = found.filter(assignee=asked.assignee)
    if asked.min_sources:
        found = found.filter(source_count__gte=asked.min_sources)
    if asked.older_than:
        found = found.filter(opened_day__lte=asked.day - asked.older_than)
    return found


def _ordered(found: QuerySet[Conflict], asked: Asked) -> QuerySet[Conflict]:
    return risk.ordered(found, asked.day).order_by(*(BY_RISK if asked.is_by_risk else BY_RULING))


def _beyond(asked: Asked, key: tuple[str, str], *, forward: bool) -> Q:
    first: int | datetime = int(key[0]) if asked.is_by_risk else datetime.fromisoformat(key[0])
    name = "risk" if asked.is_by_risk else "ruled_at"
    further, beside = ("lt", "gt") if forward else ("gt", "lt")
    return Q(**{f"{name}__{further}": first}) | Q(**{name: first, f"conflict_id__{beside}": key[1]})


def _stamp(row: Conflict) -> str:
    return (row.ruled_at or row.detected_at).isoformat()


def _first_id(found: QuerySet[Conflict]) -> str:
    return found.values_list("conflict_id", flat=True).first() or ""
