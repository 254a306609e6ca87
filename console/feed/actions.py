"""What a person does with a dead letter: have it acted on once more, or set it aside with a note."""

from django.db import transaction
from django.utils import timezone

from console.audit.actions import record
from console.audit.models import Actor
from console.feed.models import Receipt
from knowledge.engine.wire_feed import read_entry
from knowledge.records import FeedEvent

State = Receipt.State


@transaction.atomic
def replay(*, by: Actor, receipt: Receipt) -> bool:
    """Waits to be acted on again; False when it was decided meanwhile, or still cannot be read by this build."""
    told: dict[str, object] = {
        "state": State.WAITING,
        "tries": 0,
        "try_again_at": None,
        "held_since": None,
        "ended_at": None,
    }
    if not receipt.type:
        entry = read_entry(receipt.payload)
        if not isinstance(entry, FeedEvent):
            return False
        told |= {
            "type": entry.type,
            "base_id": entry.base_id,
            "sequence": entry.sequence,
            "view_id": entry.view_id,
            "causation_id": entry.causation_id,
            "occurred_at": entry.occurred_at,
        }
    done = Receipt.objects.filter(pk=receipt.pk, state=State.DEAD).update(**told)
    if done:
        record(by=by, action="feed.replayed", target=receipt.event_id, after={"digest": receipt.digest})
    return bool(done)


@transaction.atomic
def discard(*, by: Actor, receipt: Receipt, note: str) -> bool:
    """Set aside for good with a note; False when it was decided meanwhile."""
    mine = Receipt.objects.filter(pk=receipt.pk, state=State.DEAD)
    done = mine.update(state=State.DISCARDED, decided_by=by.name, note=note[:500], ended_at=timezone.now())
    if done:
        after = {"digest": receipt.digest, "note": note[:200]}
        record(by=by, action="feed.discarded", target=receipt.event_id, after=after)
    return bool(done)
