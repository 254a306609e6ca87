"""Where the follower stands, what came in, and what a person has to decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
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


def receipts_of(base_id: str, *, with_unreadable: bool, states: Sequence[str], most: int) -> list[Receipt]:
    """Latest first, of one base; ``with_unreadable`` adds entries that name no base. No states are all of them."""
    rows = Receipt.objects.defer("payload").filter(_of(base_id, with_unreadable=with_unreadable)).order_by("-pk")
    return list((rows.filter(state__in=states) if states else rows)[:most])


def dead_letters(base_id: str, *, with_unreadable: bool) -> int:
    dead = Receipt.objects.filter(state=Receipt.State.DEAD)
    return dead.filter(_of(base_id, with_unreadable=with_unreadable)).count()


def find_dead(base_id: str, pk: int, *, with_unreadable: bool) -> Receipt | None:
    """A dead letter or one decided since; None when it is not this base's to decide."""
    ended = Receipt.objects.exclude(state=Receipt.State.APPLIED)
    return ended.filter(_of(base_id, with_unreadable=with_unreadable), pk=pk).first()


def _of(base_id: str, *, with_unreadable: bool) -> Q:
    mine = Q(base_id=base_id)
    return mine | Q(base_id="") if with_unreadable else mine
