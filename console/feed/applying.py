"""From receipts to what they change here. Every effect may run twice; one that keeps failing stops nothing else."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console.feed.models import KnownView, Receipt

log = structlog.get_logger("console.feed")

PUBLISHED = "knowledge.revision.published"
STATE_CHANGED = "knowledge.state.changed"
EXPORTED = "knowledge.export.completed"
MOST_TRIES = 5
FIRST_WAIT = timedelta(seconds=2)
AT_ONCE = 500
HELD_AT_MOST = timedelta(hours=1)
"""As long as a base may keep failing while the engine itself answers; what it was to tell is compared all the while."""


class NotNowError(Exception):
    """The engine cannot be asked about the base at the moment: no fault of the event, and no try of it.

    The message says why, for a person.
    """


class PoisonedError(Exception):
    """The event cannot be acted on; the message says why, for a person, and holds nothing of a document."""


type Effect = Callable[[Receipt], str]
"""Acts on a receipt, more than once if need be; answers what it did, in a few words."""


def apply_due(effects: Mapping[str, Effect]) -> int:
    """Acts on what is waiting, in the order told; how many ended. A base that cannot be asked about waits alone."""
    ended, away = 0, set[str]()
    for receipt in Receipt.objects.due().order_by("sequence", "pk")[:AT_ONCE]:
        if receipt.base_id in away:
            continue
        try:
            ended += _apply(receipt, effects)
        except NotNowError as error:
            away.add(receipt.base_id)
            ended += _held(receipt.base_id, str(error))
    return ended


def _held(base_id: str, why: str) -> int:
    """Everything of the base waits, and says since when; what has waited too long is for a person. How many are."""
    now = timezone.now()
    waiting = Receipt.objects.filter(base_id=base_id, state=Receipt.State.WAITING)
    waiting.filter(held_since=None).update(held_since=now)
    cause = f"The engine answers, but could not be asked about this base. {why}".strip()[:300]
    waiting.update(cause=cause)
    dead = waiting.filter(held_since__lte=now - HELD_AT_MOST).update(state=Receipt.State.DEAD, ended_at=now)
    if dead:
        log.warning("feed.base_held", base=base_id, dead=dead)
    return dead


def _apply(receipt: Receipt, effects: Mapping[str, Effect]) -> bool:
    effect = effects.get(receipt.type)
    try:
        outcome = effect(receipt) if effect else "of a kind this build does not know; nothing was done"
    except NotNowError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever an event does to us, the others go on
        return _failed(receipt, error)
    waiting = Receipt.objects.filter(pk=receipt.pk, state=Receipt.State.WAITING)
    return bool(
        waiting.update(
            state=Receipt.State.APPLIED, outcome=outcome[:200], cause="", held_since=None, ended_at=timezone.now()
        )
    )


def _failed(receipt: Receipt, error: Exception) -> bool:
    """Longer each time; after the last try, or at once where trying cannot help, a person decides."""
    tries = receipt.tries + 1
    is_dead = isinstance(error, PoisonedError) or tries >= MOST_TRIES
    cause = str(error) if isinstance(error, PoisonedError) else f"{type(error).__name__} while it was acted on"
    log.warning("feed.event_failed", entry=receipt.event_id, tries=tries, dead=is_dead, error=type(error).__name__)
    Receipt.objects.filter(pk=receipt.pk, state=Receipt.State.WAITING).update(
        tries=tries,
        cause=cause[:300],
        state=Receipt.State.DEAD if is_dead else Receipt.State.WAITING,
        try_again_at=None if is_dead else timezone.now() + FIRST_WAIT * 2**tries,
        ended_at=timezone.now() if is_dead else None,
    )
    return is_dead


@transaction.atomic
def move_view(*, instance_id: str, generation: str, base_id: str, view_id: str) -> bool:
    """Whether the base is further than was known. What arrives late, or twice, moves nothing back."""
    revision, epoch = _view(view_id)
    row, is_new = KnownView.objects.get_or_create(
        instance_id=instance_id,
        generation=generation,
        base_id=base_id,
        defaults={"revision": revision, "epoch": epoch},
    )
    behind = Q(revision__lt=revision) | Q(revision=revision, epoch__lt=epoch)
    moved = (
        KnownView.objects.filter(pk=row.pk)
        .filter(behind)
        .update(revision=revision, epoch=epoch, told_at=timezone.now())
    )
    return bool(is_new or moved)


def has_acted(row: KnownView) -> bool:
    return (row.acted_revision, row.acted_epoch) >= (row.revision, row.epoch)


def note_acted(row: KnownView) -> None:
    """What had to be done about this state was done; a newer one that was told meanwhile waits on."""
    KnownView.objects.filter(pk=row.pk).update(acted_revision=row.revision, acted_epoch=row.epoch)


def _view(view_id: str) -> tuple[int, int]:
    revision, _, epoch = view_id.partition(":")
    if not (revision.isdecimal() and epoch.isdecimal() and len(view_id) < 40):
        raise PoisonedError("It names no state of its base.")
    return int(revision), int(epoch)
