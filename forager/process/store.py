"""The store: made and migrated by whoever comes first. A file is held by one serving process, a PostgreSQL joined."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import structlog
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, transaction
from django.utils import timezone

from forager.model import dialect, liveness
from forager.model.bases import Store, StoreLock
from forager.model.ids import random_id
from stores import backwards

log = structlog.get_logger("forager.store")
HEARTBEAT_SECONDS = float(os.environ.get("FORAGER_HEARTBEAT_SECONDS", "20"))
STALE_AFTER = timedelta(seconds=90)
EXIT_STORE_HELD = 11
MOVED = "moved"
"""The generation ended here; it goes on in another database."""
GONE_ON = "this store was moved to another database, which goes on in its place"


class StoreHeld(Exception):
    """Another engine serves this store; ``holder`` names it for the operator."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def prepare() -> Store:
    """Makes the data folder, migrates, and gives the store its identity on the first call; others join it."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
    with dialect.waited_for("making the store"):
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


def go_back(checkout: Path) -> list[str]:
    """To the tables that the engine in ``checkout`` knows; ``StoreHeld`` while this one is served."""
    identity = Store.objects.first()
    if identity is not None:
        with transaction.atomic():
            refuse_while_held(identity)
    return backwards.go_back(checkout.resolve(), Path(__file__).resolve().parents[2])


class Hold(Protocol):
    """Our place at the store. ``beat`` says it still stands; ``release`` gives it back."""

    def beat(self) -> bool: ...
    def release(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Joined:
    """On PostgreSQL any number of processes serve one store, as long as it is the one they came to."""

    instance_id: str
    generation: str

    def beat(self) -> bool:
        """False when the database was restored under us: what we answer would belong to another generation."""
        try:
            now = Store.objects.first()
        except (DatabaseError, InterfaceError) as error:
            log.warning("heartbeat_missed", reason=str(error))
            close_old_connections()
            return True
        return now is not None and (now.instance_id, now.generation) == (self.instance_id, self.generation)

    def release(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class Lock:
    """One process alone serves a store of SQLite."""

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


def join(identity: Store) -> Hold:
    """Takes a place at the store, or raises ``StoreHeld``: another serves this file, or the folder is not its own."""
    if not dialect.is_postgres():
        return _alone(identity)
    _same_folder(identity)
    return Joined(identity.instance_id, identity.generation)


def check_folder() -> None:
    """For who works beside the serving processes; a store that is not made yet has no folder either."""
    identity = Store.objects.first()
    if identity is not None and identity.generation_reason == MOVED:
        raise StoreHeld(GONE_ON)
    if identity is not None and dialect.is_postgres():
        _same_folder(identity)


def _same_folder(identity: Store) -> None:
    """The bytes of the sources lie in the data folder: one of another engine holds other bytes."""
    path = Path(settings.DATA_DIR) / "instance"
    with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
        file.write(identity.instance_id)
    owner = path.read_text("utf-8").strip()
    if owner and owner != identity.instance_id:
        raise StoreHeld(f"the data folder belongs to {owner}, the database to {identity.instance_id}")


def refuse_while_held(identity: Store) -> None:
    """Inside a transaction: ``StoreHeld`` when the store was moved away or somebody serves it; an old hold goes."""
    if identity.generation_reason == MOVED:
        raise StoreHeld(GONE_ON)
    held = StoreLock.objects.first()
    if held is not None and not _is_over(held):
        host, pid, _ = held.mark.split("|")
        raise StoreHeld(f"process {pid} on {host}, last heard {held.heartbeat_at:%Y-%m-%d %H:%M:%S} UTC")
    StoreLock.objects.all().delete()


def _alone(identity: Store) -> Lock:
    with transaction.atomic():
        refuse_while_held(identity)
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
