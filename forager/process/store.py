"""The store on disk: made and migrated by whoever serves first, held by one serving process at a time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, transaction
from django.utils import timezone

from forager.model import liveness
from forager.model.bases import Store, StoreLock
from forager.model.ids import random_id

log = structlog.get_logger("forager.store")
HEARTBEAT_SECONDS = 20
STALE_AFTER = timedelta(seconds=90)
EXIT_STORE_HELD = 11


class StoreHeld(Exception):
    """Another engine serves this store; ``holder`` names it for the operator."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def prepare() -> Store:
    """Makes the data folder, migrates, and gives the store its identity on the first call."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
    call_command("migrate", verbosity=0, interactive=False)
    with transaction.atomic():
        store = Store.objects.first()
        if store is None:
            store = Store.objects.create(
                instance_id=random_id("fgi"),
                generation=random_id("gen"),
                generation_reason="created",
                created_at=timezone.now(),
            )
    return store


@dataclass(frozen=True, slots=True)
class Lock:
    """Our hold on the store. ``beat`` says it still stands; ``release`` gives it back."""

    holder: str

    def beat(self) -> bool:
        """False only when another holds the store. One too busy to be written now stays ours until someone takes it."""
        try:
            return StoreLock.objects.filter(holder=self.holder).update(heartbeat_at=timezone.now()) == 1
        except OperationalError as error:
            log.warning("heartbeat_missed", reason=str(error))
            return True

    def release(self) -> None:
        StoreLock.objects.filter(holder=self.holder).delete()


def hold() -> Lock:
    """Takes the store's lock row, or raises ``StoreHeld``."""
    with transaction.atomic():
        held = StoreLock.objects.first()
        if held is not None and not _is_over(held):
            host, pid, _ = held.mark.split("|")
            raise StoreHeld(f"process {pid} on {host}, last heard {held.heartbeat_at:%Y-%m-%d %H:%M:%S} UTC")
        StoreLock.objects.all().delete()
        lock = Lock(random_id("hold"))
        StoreLock.objects.create(holder=lock.holder, mark=liveness.own_mark(), heartbeat_at=timezone.now())
    return lock


def _is_over(held: StoreLock) -> bool:
    return timezone.now() - held.heartbeat_at > STALE_AFTER or liveness.is_gone(held.mark)


def wait_until(condition: Callable[[], bool], seconds: float, step: float = 0.05) -> bool:
    """Polls ``condition`` until it holds or the time is over."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(step)
    return condition()
