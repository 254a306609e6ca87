"""Everything that changes how the engine is reached."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from django.db import transaction

from console import env
from console.audit.actions import record
from console.audit.models import Actor
from console.connection.models import EngineWish, KnownEngine, StoredSetting
from console.connection.settings import read_settings, refusal, sealed

SYSTEM = Actor(key="console", name="This console")


class Wish(StrEnum):
    """``start`` and ``restart`` both forget that it ended too often before."""

    START = "start"
    STOP = "stop"
    RESTART = "restart"


@transaction.atomic
def store_settings(*, by: Actor, changes: Mapping[str, str]) -> dict[str, str]:
    """Keep the given settings; a secret is sealed, and the trail says only that it was replaced.

    Answers, by name, why one may not be written here; then none of them was.
    """
    now = read_settings()
    refused = {name: why for name, raw in changes.items() if (why := refusal(name, raw, now))}
    if refused:
        record(by=by, action="connection.settings_refused", target="connection", after=dict(refused))
        return refused
    before = dict(StoredSetting.objects.filter(name__in=changes).values_list("name", "value"))
    for name, raw in changes.items():
        secret = env.BY_NAME[name].secret
        value = sealed(raw) if secret else raw
        StoredSetting.objects.update_or_create(name=name, defaults={"value": value})
    record(
        by=by,
        action="connection.settings_changed",
        target="connection",
        before=_told(before, "set"),
        after=_told(changes, "replaced"),
    )
    return {}


@transaction.atomic
def forget_settings(*, by: Actor, names: Sequence[str]) -> int:
    """What was written here is forgotten, so that the default holds again; how many were."""
    held = StoredSetting.objects.filter(name__in=names)
    before = dict(held.values_list("name", "value"))
    done = held.delete()[0]
    if done:
        told = _told({name: value for name, value in before.items() if name in env.BY_NAME}, "set")
        record(by=by, action="connection.settings_forgotten", target="connection", before=told)
    return done


@transaction.atomic
def wish_engine(*, by: Actor, wish: Wish) -> None:
    """What the supervisor is to do; it acts within a second, and the engine's own state says when it has."""
    row, _ = EngineWish.objects.select_for_update().get_or_create(pk=1)
    row.is_stopped, row.by = wish is Wish.STOP, by.name
    if wish is not Wish.STOP:
        row.restarts += 1
    row.save()
    record(by=by, action="connection.engine_wished", target="connection", after={"wish": wish.value})


@transaction.atomic
def pin_engine(*, by: Actor, instance_id: str, generation: str) -> KnownEngine:
    """From now on this is the engine we know."""
    held = KnownEngine.objects.first()
    before = {"instance": held.instance_id, "generation": held.generation} if held else {}
    KnownEngine.objects.all().delete()
    known = KnownEngine.objects.create(instance_id=instance_id, generation=generation)
    after = {"instance": instance_id, "generation": generation}
    record(by=by, action="connection.engine_pinned", target="connection", before=before, after=after)
    return known


def _told(values: Mapping[str, str], secret_word: str) -> dict[str, str]:
    return {name: secret_word if env.BY_NAME[name].secret else value for name, value in values.items()}
