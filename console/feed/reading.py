"""From the engine into receipts. A page is stored and acknowledged in one transaction: a crash reads it again."""

from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.db import transaction
from django.utils import timezone

from console.audit.actions import Facts, record
from console.connection.actions import SYSTEM
from console.feed.models import Follower, Receipt
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Engine, FeedEvent, FeedPage, UnreadableEvent

log = structlog.get_logger("console.feed")

PAGE = 100
EXPIRED = "cursor_expired"
NEW_GENERATION = "the engine's store was restored from a backup or copied"
TOO_FAR_BEHIND = "events between the last read and now are gone at the engine"
KEPT_FOR = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Read:
    """``fresh`` receipts were stored; ``more`` says that the engine may have further ones waiting."""

    fresh: int
    more: bool
    resynchronise: str = ""


def read_page(provider: KnowledgeProvider, engine: Engine) -> Outcome[Read]:
    """One page from where the follower stands. A failure is noted with its time and changes nothing else."""
    follower = _follower(engine)
    anew = ""
    if follower.generation != engine.generation:
        anew = NEW_GENERATION
        _start_anew(follower, engine.generation, cursor="", why=anew)
    page = provider.feed(cursor=follower.cursor, limit=PAGE)
    if isinstance(page, Failed):
        oldest = dict(page.fields).get("oldest", "")
        if dict(page.fields).get("code") != EXPIRED or not oldest:
            _note_failure(follower, page)
            return page
        _start_anew(follower, follower.generation, cursor=oldest, why=TOO_FAR_BEHIND)
        return Ok(Read(0, more=True, resynchronise=TOO_FAR_BEHIND))
    fresh = _store(follower, page.value)
    return Ok(Read(fresh, more=len(page.value.entries) >= PAGE, resynchronise=anew))


@transaction.atomic
def _store(follower: Follower, page: FeedPage) -> int:
    """Another reader that was faster has the same receipts; its cursor then stands."""
    fresh = sum(_receive(follower, entry) for entry in page.entries)
    now = timezone.now()
    events = [entry.sequence for entry in page.entries if isinstance(entry, FeedEvent)]
    told: dict[str, object] = {"read_at": now, "failing_since": None, "failure": ""}
    if len(page.entries) < PAGE:
        told["caught_up_at"] = now
    Follower.objects.filter(pk=follower.pk).update(**told)
    moved = Follower.objects.filter(pk=follower.pk, cursor=follower.cursor, generation=follower.generation)
    moved.update(cursor=page.next_cursor, sequence=max([follower.sequence, *events]))
    follower.refresh_from_db()
    return fresh


def _receive(follower: Follower, entry: FeedEvent | UnreadableEvent) -> bool:
    """Whether it is new here. What cannot be read is a dead letter from the beginning, known by its digest."""
    if isinstance(entry, UnreadableEvent):
        told: dict[str, object] = {
            "payload": entry.payload,
            "digest": entry.digest,
            "state": Receipt.State.DEAD,
            "cause": entry.reason,
        }
        key = {"instance_id": follower.instance_id, "generation": follower.generation, "event_id": entry.digest}
    else:
        told = {
            "type": entry.type,
            "base_id": entry.base_id,
            "sequence": entry.sequence,
            "view_id": entry.view_id,
            "causation_id": entry.causation_id,
            "occurred_at": entry.occurred_at,
            "payload": entry.payload,
            "digest": entry.digest,
        }
        key = {"instance_id": entry.instance_id, "generation": entry.generation, "event_id": entry.id}
    _, is_new = Receipt.objects.get_or_create(**key, defaults=told)
    return is_new


def _follower(engine: Engine) -> Follower:
    found, _ = Follower.objects.get_or_create(
        instance_id=engine.instance_id, defaults={"generation": engine.generation}
    )
    return found


@transaction.atomic
def _start_anew(follower: Follower, generation: str, *, cursor: str, why: str) -> None:
    """The place is given up and said so; what the bases are now is compared by whoever called."""
    before: Facts = {"generation": follower.generation, "sequence": follower.sequence}
    follower.generation, follower.cursor, follower.sequence = generation, cursor, 0
    follower.resynchronised_at, follower.resynchronised_why = timezone.now(), why
    follower.compared_at = None
    follower.save()
    after: Facts = {"generation": generation, "why": why}
    record(by=SYSTEM, action="feed.resynchronised", target=follower.instance_id, before=before, after=after)
    log.warning("feed.resynchronised", instance=follower.instance_id, generation=generation, why=why)


def _note_failure(follower: Follower, failed: Failed) -> None:
    since = follower.failing_since or timezone.now()
    Follower.objects.filter(pk=follower.pk).update(failing_since=since, failure=failed.reason[:300])


def forget_old() -> int:
    """Receipts that were acted on or discarded long ago; dead letters stay until a person decides."""
    ended = Receipt.objects.filter(state__in=(Receipt.State.APPLIED, Receipt.State.DISCARDED))
    return ended.filter(ended_at__lt=timezone.now() - KEPT_FOR).delete()[0]
