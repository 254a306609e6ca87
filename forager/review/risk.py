"""How pressing a disagreement is: (1 + times served) × uncertainty × days open, whole numbers, so the sum can be shown.

Kept on the conflict's own row, so a queue of ten thousand is ordered by the database.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from django.db.models import F, IntegerField, Min, QuerySet, Value
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


def weigher(base: KnowledgeBase, rows: Sequence[Conflict]) -> Callable[[Conflict], dict[str, int]]:
    """What each row's own weight is; a new one is also told from when it stands and how often it was served."""
    fresh = [row.conflict_id for row in rows if not row.opened_day]
    first = _first_days(base, fresh)
    is_served = bool(fresh) and Served.objects.filter(base=base).exists()

    def weigh(row: Conflict) -> dict[str, int]:
        sides = list(row.sides.all())
        members = [m for side in sides for m in side.members.all()]
        found = {
            "uncertainty": uncertainty(row.type, row.certainty, [side.origins for side in sides]),
            "source_count": len({m.source_id for m in members}),
            "opened_day": row.opened_day or first.get(row.conflict_id, row.detected_at).date().toordinal(),
            "served": row.served,
        }
        if not row.opened_day and is_served:
            found["served"] = times_served(base, {m.item_id for m in members if m.item_id})
        return found

    return weigh


def _first_days(base: KnowledgeBase, ids: Sequence[str]) -> dict[str, datetime]:
    """When each was first found, also under evidence it no longer rests on."""
    found: dict[str, datetime] = {}
    for at in range(0, len(ids), BATCH):
        rows = Conflict.objects.filter(base=base, conflict_id__in=ids[at : at + BATCH])
        found |= dict(rows.values_list("conflict_id").annotate(first=Min("detected_at")).order_by())
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
