"""How pressing a disagreement is: (1 + times served) × uncertainty × days open, whole numbers, so the sum can be shown.

Kept on the conflict's own row, so a queue of ten thousand is ordered by the database.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from django.db.models import F, IntegerField, QuerySet, Value
from django.db.models.functions import Cast

from forager.model.models import Conflict, ConflictMember, KnowledgeBase, Served

COPIES = 20
"""Hundredths: two documents of the same text contest no fact."""
EVEN = 100
BATCH = 400


def today() -> int:
    """The day as conflicts count it, in UTC."""
    return datetime.now(UTC).date().toordinal()


def ordered(rows: QuerySet[Conflict], day: int) -> QuerySet[Conflict]:
    """``rows`` with their ``risk`` in hundredths as of ``day``; the first day counts as one."""
    days = Cast(Value(day + 1) - F("opened_day"), IntegerField())
    return rows.annotate(risk=Cast((F("served") + 1) * F("uncertainty") * days, IntegerField()))


def uncertainty(kind: str, certainty: str, origins: Sequence[int]) -> int:
    """Hundredths: 100 when independent origins stand even, less the more one side has; a mere candidate counts half."""
    if kind == "duplicate_source":
        return COPIES
    weights = [max(1, each) for each in origins] or [1]
    others = 1 - max(weights) / sum(weights)
    even = 1 - 1 / len(weights)
    share = round(EVEN * others / even) if even else EVEN
    return max(1, share // 2 if certainty == "candidate" else share)


def weigh(base: KnowledgeBase, row: Conflict) -> dict[str, int]:
    """What a row's own weight is; a row that is new is also told from when it stands and how often it was served."""
    sides = list(row.sides.all())
    sources = {m.source_id for side in sides for m in side.members.all()}
    found = {
        "uncertainty": uncertainty(row.type, row.certainty, [side.origins for side in sides]),
        "source_count": len(sources),
    }
    if not row.opened_day:
        first = Conflict.objects.filter(base=base, conflict_id=row.conflict_id).order_by("detected_at").first()
        found["opened_day"] = (first or row).detected_at.date().toordinal()
        found["served"] = times_served(base, {m.item_id for side in sides for m in side.members.all() if m.item_id})
    return found


def times_served(base: KnowledgeBase, items: Iterable[str]) -> int:
    """How many packages held any of these statements."""
    return Served.objects.filter(base=base, item_id__in=list(items)).values("package_id").distinct().count()


def count_again(base: KnowledgeBase, items: Iterable[str]) -> None:
    """After serving: every standing conflict that these statements are a side of."""
    listed = sorted(set(items))
    touched: set[int] = set()
    standing = Conflict.objects.at(base.current_revision).filter(base=base)
    for at in range(0, len(listed), BATCH):
        members = ConflictMember.objects.filter(item_id__in=listed[at : at + BATCH], side__conflict__in=standing)
        touched |= set(members.values_list("side__conflict_id", flat=True))
    for row in standing.filter(pk__in=touched):
        mine = ConflictMember.objects.filter(side__conflict=row).exclude(item_id="").values_list("item_id", flat=True)
        Conflict.objects.filter(pk=row.pk).update(served=times_served(base, mine))
