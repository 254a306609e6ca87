"""Acts on backups: ask for one, make what was asked for, let one go, note that one was taken away.

Web workers only ask: whoever makes one is a process of its own, started by ``manage.py colony`` or by a person.
"""

import fcntl
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TextIO

import structlog
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from console import env
from console.audit.actions import record
from console.audit.models import Actor
from console.backups.models import Backup, BackupState
from console.backups.packing import SUFFIX, BackupRefused, Packed, pack, sweep
from console.connection.actions import SYSTEM
from console.keyfile import private_folder

log = structlog.get_logger("console.backups")

BEAT_SECONDS = 5.0
MAKER_GONE = "The process that made it ended before it was done. Nothing was kept of it; ask for another."
STOPPED = "It was stopped before it was done. Nothing was kept of it; ask for another."


class BackupsBusy(Exception):
    """Another process makes one in this folder."""


def folder_of(values: env.Values) -> Path:
    return values.path("backup_dir") if values.text("backup_dir") else values.path("data_dir") / "backups"


def file_of(backup: Backup, values: env.Values) -> Path | None:
    """The file of one that is done; None where it does not lie in our folder."""
    path = folder_of(values) / Path(backup.file).name
    return path if backup.state == BackupState.DONE and backup.file and path.is_file() else None


@transaction.atomic
def ask_backup(*, by: Actor) -> Backup:
    """One is made at a time: the one that is asked for or being made already is answered."""
    waiting = Backup.objects.unfinished().last()
    if waiting is not None:
        return waiting
    backup = Backup.objects.create(key=f"bkp_{uuid.uuid4().hex}", asked_by=by.name)
    record(by=by, action="backup.asked", target=backup.key)
    return backup


def make_asked(values: env.Values) -> Backup | None:
    """Makes the one that waits longest; None where none does. What went wrong is told in its row."""
    folder = folder_of(values)
    try:
        with _held(folder):
            sweep(folder)
            backup = _claim()
            if backup is not None:
                _make(backup, folder, values)
    except OSError as error:  # of the folder itself
        backup = _claim()
        if backup is not None:
            _fail(backup, _why(error, folder))
    if backup is not None:
        backup.refresh_from_db()
    return backup


def _make(backup: Backup, folder: Path, values: env.Values) -> None:
    try:
        with _beating(backup):
            packed = pack(folder / name_of(timezone.now(), backup.key), values)
    except (BackupRefused, OSError, DatabaseError) as failed:
        _fail(backup, _why(failed, folder))
    except BaseException:
        _fail(backup, STOPPED)
        raise
    else:
        _done(backup, packed)


def fail_silent() -> int:
    """Those whose maker died without a word; how many."""
    found = list(Backup.objects.silent())
    for each in found:
        _fail(each, MAKER_GONE)
    return len(found)


@transaction.atomic
def note_made(*, by: Actor, packed: Packed) -> None:
    """One that a person put where they wanted: it is in the trail, not in the list."""
    record(by=by, action="backup.made", target=packed.path.name, after=_facts(packed))


@transaction.atomic
def note_taken(*, by: Actor, backup: Backup) -> None:
    record(by=by, action="backup.downloaded", target=backup.key, after={"sha256": backup.sha256})


def let_backup_go(*, by: Actor, backup: Backup, values: env.Values) -> bool:
    """Its file leaves the disk, the row stays; False where the file lies elsewhere or cannot be deleted."""
    path = file_of(backup, values)
    if path is None:
        return False
    try:
        path.unlink()
    except OSError as error:
        log.warning("backups.not_deleted", key=backup.key, why=error.strerror)
        return False
    with transaction.atomic():
        Backup.objects.filter(pk=backup.pk).update(state=BackupState.GONE, reason="")
        record(by=by, action="backup.let_go", target=backup.key, before={"sha256": backup.sha256})
    return True


def outdated(first: datetime) -> list[Backup]:
    """Those made before ``first``, but never the newest there is."""
    done = Backup.objects.filter(state=BackupState.DONE)
    newest = done.first()
    return list(done.filter(ended_at__lt=first).exclude(pk=newest.pk)) if newest else []


def _claim() -> Backup | None:
    """Two makers never take the same."""
    for backup in Backup.objects.filter(state=BackupState.ASKED).order_by("id"):
        now = timezone.now()
        mine = Backup.objects.filter(pk=backup.pk, state=BackupState.ASKED)
        if mine.update(state=BackupState.MAKING, beat_at=now, host=socket.gethostname()):
            return backup
    return None


def name_of(at: datetime, key: str = "") -> str:
    """Of the file of one made at this moment; the end of its key tells two of the same second apart."""
    told = f"-{key[-6:]}" if key else ""
    return f"anthill-{at:%Y%m%d-%H%M%S}{told}{SUFFIX}"


@transaction.atomic
def _done(backup: Backup, packed: Packed) -> None:
    Backup.objects.filter(pk=backup.pk).update(
        state=BackupState.DONE,
        ended_at=timezone.now(),
        file=packed.path.name,
        size_bytes=packed.size_bytes,
        sha256=packed.sha256,
        engine_instance=packed.engine.instance_id if packed.engine else "",
        engine_generation=packed.engine.generation if packed.engine else "",
        engine_left_out=packed.left_out,
    )
    record(by=SYSTEM, action="backup.made", target=backup.key, after=_facts(packed))


@transaction.atomic
def _fail(backup: Backup, reason: str) -> None:
    held = Backup.objects.filter(pk=backup.pk, state=BackupState.MAKING)
    if held.update(state=BackupState.FAILED, ended_at=timezone.now(), reason=reason[:400]):
        record(by=SYSTEM, action="backup.failed", target=backup.key, after={"why": reason[:200]})


def _facts(packed: Packed) -> dict[str, str | int | float | bool | None]:
    engine = packed.engine.instance_id if packed.engine else ""
    return {"bytes": packed.size_bytes, "sha256": packed.sha256, "engine": engine}


def _why(failed: Exception, folder: Path) -> str:
    if isinstance(failed, OSError):
        told = failed.strerror or "The file could not be written"
        return f"{told}: {folder}. Make room there, or name another folder in backup_dir."
    if isinstance(failed, DatabaseError):
        return "The console's database did not answer. Ask again; its own log says more."
    return str(failed)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """The folder is ours: given back when this ends or our process does, however it ends."""
    private_folder(folder)
    hold: TextIO = (folder / ".making.lock").open("a", encoding="utf-8")
    try:
        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        hold.close()
        raise BackupsBusy(f"Another process makes a backup in {folder}. Wait until it is done.") from None
    with hold:
        yield


@contextmanager
def _beating(backup: Backup) -> Iterator[None]:
    """Says every few seconds that it is still being made."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_SECONDS):
            try:
                Backup.objects.filter(pk=backup.pk).update(beat_at=timezone.now())
            except DatabaseError as error:
                log.warning("backups.beat_missed", kind=type(error).__name__)
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
