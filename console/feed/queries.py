"""Where the follower stands, what came in, and what a person has to decide."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone

from console.feed.models import Follower, Receipt


@dataclass(frozen=True, slots=True)
class Standing:
    """``lag`` is the age of the oldest receipt that still waits, zero when none does; ``quiet`` since the last read."""

    follower: Follower
    counts: dict[str, int]
    lag: timedelta
    quiet: timedelta | None


def standing(instance_id: str) -> Standing | None:
    """None while no feed was ever followed."""
    follower = Follower.objects.filter(instance_id=instance_id).first()
    if follower is None:
        return None
    counted = Receipt.objects.filter(instance_id=instance_id).values("state").annotate(n=Count("pk"))
    counts = {row["state"]: row["n"] for row in counted.order_by()}
    now = timezone.now()
    waiting = Receipt.objects.filter(instance_id=instance_id, state=Receipt.State.WAITING)
    oldest: datetime | None = waiting.order_by("received_at").values_list("received_at", flat=True).first()
    lag = now - oldest if oldest else timedelta()
    return Standing(follower, counts, lag, now - follower.read_at if follower.read_at else None)


def receipts(*, state: str = "", before: int = 0, page_size: int = 50) -> list[Receipt]:
    """Latest first; ``before`` is the id the last page ended with."""
    rows = Receipt.objects.defer("payload").order_by("-pk")
    if state:
        rows = rows.filter(state=state)
    if before:
        rows = rows.filter(pk__lt=before)
    return list(rows[: page_size + 1])


def dead_letters() -> int:
    return Receipt.objects.filter(state=Receipt.State.DEAD).count()
