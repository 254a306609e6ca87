"""One turn of following the engine: read what is new, act on what waits, now and then compare what the bases are."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from console.feed.applying import apply_due
from console.feed.effects import Effects
from console.feed.models import Follower
from console.feed.reading import forget_old, read_page
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Engine

PAGES_A_TURN = 50
COMPARE_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Turn:
    """``fresh`` entries were stored, ``ended`` receipts are done with, ``compared`` bases had moved without a word."""

    fresh: int
    ended: int
    compared: int


def follow_once(provider: KnowledgeProvider, *, top_k: int) -> Outcome[Turn]:
    engine = provider.engine()
    if isinstance(engine, Failed):
        return engine
    fresh = _read(provider, engine.value)
    if isinstance(fresh, Failed):
        return fresh
    effects = Effects(provider, top_k)
    ended = apply_due(effects.by_type)
    compared = _compare(effects, engine.value)
    forget_old()
    return Ok(Turn(fresh.value, ended, compared))


def _read(provider: KnowledgeProvider, engine: Engine) -> Outcome[int]:
    fresh = 0
    for _ in range(PAGES_A_TURN):
        read = read_page(provider, engine)
        if isinstance(read, Failed):
            return read
        fresh += read.value.fresh
        if not read.value.more:
            break
    return Ok(fresh)


def _compare(effects: Effects, engine: Engine) -> int:
    """At first, after the place was given up, and every ten minutes."""
    follower = Follower.objects.get(instance_id=engine.instance_id)
    now = timezone.now()
    if follower.compared_at is not None and follower.compared_at > now - COMPARE_EVERY:
        return 0
    found = effects.compare(follower)
    Follower.objects.filter(pk=follower.pk).update(compared_at=now)
    return found
