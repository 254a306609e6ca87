"""A console, and its engine's store, out of a backup, in a data folder that holds neither. Whole, or nothing of it.

The engine's store begins a new generation; where it is the one the console knew, the new one is known from the start,
because whoever restored both meant it. Nobody is signed in afterwards, and no key comes along.
"""

import hashlib
import json
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import transaction
from django.db.migrations.loader import MigrationLoader

from console import database, env
from console.audit.actions import record
from console.audit.models import Actor
from console.backups.models import Backup, BackupState
from console.backups.packing import CHUNK_BYTES, ENGINE, FORMAT, FORMAT_VERSION, MANIFEST, BackupRefused
from console.connection.actions import pin_engine
from console.connection.children import engine_paths
from console.connection.models import EngineProcess, KnownEngine
from console.connection.settings import Mode
from console.connection.store_care import EngineRefused, KeptStore, make_store
from console.env import Origin
from console.keyfile import private_folder
from stores.copies import CopyRefused

UNPACKING = ".restoring"
BY = Actor(key="command:restore", name="Restore")
ELSEWHERE = "It lies where the backup was made, if it is still there."
ITSELF = "This console came back from it, or it was made at the same time. It lies where it was made."
NEVER_MADE = "It was still waiting when the backup this console came back from was made."
ATTACHED = (
    "The backup holds an engine's store, but knowledge_mode is attached. Set it to managed, or take the setting away, "
    "to restore both."
)


@dataclass(frozen=True, slots=True)
class Restored:
    """``engine`` is None where the backup holds no store."""

    made_at: str
    engine: KeptStore | None


def restore(path: Path, values: env.Values) -> Restored:
    """``BackupRefused`` leaves the data folder as it was."""
    folder = values.path("data_dir")
    _refuse_unless_empty(values)
    private_folder(folder)
    unpacked = folder / UNPACKING
    shutil.rmtree(unpacked, ignore_errors=True)  # of one that was ended hard
    try:
        unpacked.mkdir(mode=0o700)
        manifest = _unpack(path, unpacked)
        _refuse_unfit(manifest, values)
        engine = _make_engine(values, unpacked) if manifest["engine"] else None
        _make_console(unpacked / manifest["console"]["part"])
    except BackupRefused:
        _take_back(values, unpacked)
        raise
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
    _begin_anew(manifest, engine)
    return Restored(manifest["made_at"], engine)


def _refuse_unless_empty(values: env.Values) -> None:
    there = database.what_is_there()
    engine = engine_paths(values).data
    if not there and engine.is_dir() and any(engine.iterdir()):
        there = f"{engine} holds an engine's store"
    if there:
        raise BackupRefused(f"{there}: nothing is written over. Restore into an empty data folder.")


def _unpack(path: Path, folder: Path) -> dict[str, Any]:
    """Every part is held to its digest; what the manifest does not name has no place."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            parts = {part["part"]: part["sha256"] for part in (manifest["console"], manifest["engine"]) if part}
            if set(archive.namelist()) != {MANIFEST, *parts}:
                raise BackupRefused(f"{path.name} lacks a part, or holds one that its manifest does not name.")
            for name, digest in parts.items():
                if _placed(archive, name, folder / name) != digest:
                    raise BackupRefused(f"{name} in {path.name} is damaged: it is not what was kept.")
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise BackupRefused(f"{path.name} cannot be read: {error}") from None
    return manifest


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        told = json.loads(archive.read(MANIFEST))
        known = (told["format"], told["format_version"])
        console, engine = told["console"], told["engine"]
        names = (console["part"] in database.COPY_NAMES.values(), engine is None or engine["part"] == ENGINE)
    except zipfile.BadZipFile:
        raise BackupRefused(f"{MANIFEST} is damaged.") from None
    except (KeyError, TypeError, ValueError):
        raise BackupRefused("This is no backup of a console.") from None
    if known != (FORMAT, FORMAT_VERSION):
        raise BackupRefused(f"This is {known[0]} {known[1]}; this console reads {FORMAT} {FORMAT_VERSION}.")
    if not all(names):
        raise BackupRefused("This is no backup of a console: its parts have other names.")
    return dict(told)


def _placed(archive: zipfile.ZipFile, name: str, target: Path) -> str:
    """The digest of what was unpacked; empty where the zip itself finds it damaged."""
    digest = hashlib.sha256()
    try:
        with archive.open(name) as packed, target.open("xb") as out:
            while chunk := packed.read(CHUNK_BYTES):
                digest.update(chunk)
                out.write(chunk)
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return ""
    return digest.hexdigest()


def _refuse_unfit(manifest: dict[str, Any], values: env.Values) -> None:
    """Of a newer version, of the other kind of database, or with a store that nobody here would run."""
    console = manifest["console"]
    if {tuple(each) for each in console["migrations"]} - set(MigrationLoader(None).disk_migrations):
        raise BackupRefused("This backup was made by a newer console. Restore it with that version.")
    if console["database"] != database.kind():
        wants = "take database_url away" if console["database"] == "sqlite" else "set database_url"
        raise BackupRefused(f"The console's part is of {console['database']}: {wants}, then restore.")
    is_attached = values.text("knowledge_mode") == Mode.ATTACHED
    if manifest["engine"] and is_attached and values.origin("knowledge_mode") is not Origin.DEFAULT:
        raise BackupRefused(ATTACHED)


def _make_engine(values: env.Values, unpacked: Path) -> KeptStore:
    """Beside its place first: a store that cannot be made leaves none behind."""
    place = engine_paths(values).data
    made = unpacked / "engine"
    private_folder(made)
    try:
        store = make_store(values, unpacked / ENGINE, made)
    except EngineRefused as refused:
        raise BackupRefused(f"The engine's part was refused. {refused}") from None
    if place.is_dir():
        place.rmdir()
    made.replace(place)
    return store


def _make_console(copy: Path) -> None:
    try:
        database.make_out_of(copy)
    except CopyRefused as refused:
        raise BackupRefused(f"The console's database was not made. {refused}") from None
    call_command("migrate", verbosity=0, interactive=False)


def _take_back(values: env.Values, unpacked: Path) -> None:
    """The engine's store of a restore whose console could not be made."""
    place = engine_paths(values).data
    if unpacked.is_dir() and (unpacked / ENGINE).exists() and place.is_dir():
        shutil.rmtree(place)


@transaction.atomic
def _begin_anew(manifest: dict[str, Any], engine: KeptStore | None) -> None:
    EngineProcess.objects.all().delete()
    Backup.objects.filter(state=BackupState.ASKED).update(state=BackupState.FAILED, reason=NEVER_MADE)
    Backup.objects.filter(state=BackupState.MAKING).update(state=BackupState.GONE, reason=ITSELF)
    Backup.objects.filter(state=BackupState.DONE).update(state=BackupState.GONE, reason=ELSEWHERE)
    after: dict[str, str | int | float | bool | None] = {"made_at": manifest["made_at"]}
    known = KnownEngine.objects.first()
    if engine is not None:
        after |= {"instance": engine.instance_id, "generation": engine.generation}
    record(by=BY, action="backup.restored", target="console", after=after)
    if engine is not None and known is not None and known.instance_id == engine.instance_id:
        pin_engine(by=BY, instance_id=engine.instance_id, generation=engine.generation)
