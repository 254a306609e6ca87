"""``restore FILE``: a store out of a backup, in a folder that holds none. Whole and checked, or nothing of it.

The instance stays who it was; the generation is a new one, so that whoever followed the feed of the old store learns
that it may have missed something, and a console that knew it asks a person first.
"""

import argparse
import hashlib
import json
import re
import shutil
import sqlite3
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from forager.model import blobs, dialect
from forager.model.ids import random_id
from forager.process import store
from forager.process.backup import (
    BLOBS,
    DATABASES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    BackupRefused,
    kind,
    names_digest,
    sha256_of,
)
from forager.process.declaring import Subparsers
from forager.search import keeping
from stores.copies import CopyRefused

RESTORED = "restored"
NAME = re.compile(r"[0-9a-f]{64}")
UNPACKING = ".restoring"


def declare(commands: Subparsers) -> None:
    parser = commands.add_parser("restore", help="make a store out of a backup, in a data folder that holds none")
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="answer as JSON: which store, of when, its new generation")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    try:
        manifest = restore(given.file)
    except (BackupRefused, OSError) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    words = f"Restored as of {manifest['made_at']}. Followers of its feed read anew."
    print(json.dumps(manifest) if given.json else words)  # noqa: T201 - a command's answer
    return 0


def restore(path: Path) -> dict[str, Any]:
    """Answers the manifest with the new generation; ``BackupRefused`` leaves the data folder as it was."""
    folder = Path(settings.DATA_DIR)
    if dialect.has_tables():
        there = "The database" if dialect.is_postgres() else str(folder)
        raise BackupRefused(f"{there} holds a store already; nothing is written over.")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    unpacked = folder / UNPACKING
    shutil.rmtree(unpacked, ignore_errors=True)  # of one that was ended hard
    try:
        manifest = _unpack(path, unpacked)
        database = unpacked / DATABASES[kind()]
        _refuse_newer(database, manifest)
        placed = _place_blobs(unpacked)
        try:
            dialect.make_out_of(database, _beginning_anew())
        except CopyRefused as refused:
            for blob in placed:
                blob.unlink(missing_ok=True)
            raise BackupRefused(f"The database was not made. {refused}") from None
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
    now = store.prepare()
    while (base := keeping.lost()) is not None:
        keeping.rebuild(base)
    return {**manifest, "generation": now.generation}


def _place_blobs(unpacked: Path) -> list[Path]:
    placed = []
    for blob in [each for each in (unpacked / BLOBS).rglob("*") if each.is_file()]:
        kept = blobs.path_of(blob.name)  # may lie there already, of a restore that was ended hard
        kept.parent.mkdir(parents=True, exist_ok=True)
        blob.replace(kept)
        placed.append(kept)
    return placed


def _unpack(path: Path, folder: Path) -> dict[str, Any]:
    """Every byte of it is held to the manifest; blobs are named by their own digest."""
    (folder / BLOBS).mkdir(parents=True, mode=0o700)
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            for entry in archive.infolist():
                _place(archive, entry, folder)
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise BackupRefused(f"{path.name} cannot be read: {error}") from None
    there = [each.name for each in (folder / BLOBS).rglob("*") if each.is_file()]
    if manifest["blobs"]["names_sha256"] != names_digest(there):
        raise BackupRefused(f"{path.name} lacks files of sources, or has others than it tells of.")
    name = DATABASES[kind()]
    if not (folder / name).exists() or sha256_of(folder / name) != manifest["database"]["sha256"]:
        raise BackupRefused(f"{name} in {path.name} is damaged.")
    return manifest


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest = json.loads(archive.read(MANIFEST))
        known = (manifest["format"], manifest["format_version"], bool(manifest["database"]["sha256"]))
    except (KeyError, TypeError, ValueError):
        raise BackupRefused("This is no backup of a store.") from None
    if known != (FORMAT, FORMAT_VERSION, True):
        told = f"{known[0]} {known[1]}, this engine reads {FORMAT} {FORMAT_VERSION}"
        raise BackupRefused(f"This is a backup of another form: {told}.")
    of = manifest["database"].get("kind", "sqlite")
    if of != kind():
        wants = "take FORAGER_DATABASE_URL away" if of == "sqlite" else "set FORAGER_DATABASE_URL"
        raise BackupRefused(f"This is a backup of a store on {of}: {wants} and restore it there.")
    return dict(manifest)


def _place(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    if entry.filename == MANIFEST:
        return
    kind_of, _, name = entry.filename.rpartition("/")
    if entry.filename == DATABASES[kind()]:
        target = folder / entry.filename
    elif kind_of == BLOBS and NAME.fullmatch(name):
        target = folder / BLOBS / name[:2] / name
    else:
        raise BackupRefused(f"{entry.filename!r} has no place in a backup.")
    target.parent.mkdir(exist_ok=True)
    digest = hashlib.sha256()
    with archive.open(entry) as packed, target.open("xb") as out:
        while chunk := packed.read(blobs.CHUNK_BYTES):
            digest.update(chunk)
            out.write(chunk)
    if kind_of == BLOBS and digest.hexdigest() != name:
        raise BackupRefused(f"{entry.filename} is damaged.")


def _refuse_newer(database: Path, manifest: dict[str, Any]) -> None:
    applied = {tuple(each) for each in manifest["database"].get("migrations", ())}
    if database.name == DATABASES["sqlite"]:
        try:
            with closing(sqlite3.connect(database)) as copy:
                applied |= set(copy.execute("SELECT app, name FROM django_migrations"))
        except sqlite3.DatabaseError as error:
            raise BackupRefused(f"{database.name} is no database of a store: {error}") from None
    known = MigrationLoader(None).disk_migrations
    if applied - set(known):
        raise BackupRefused("This backup was made by a newer engine. Restore it with that one.")


def _beginning_anew() -> tuple[str, ...]:
    """Before it is in its place, so that no hard end leaves two stores of one generation: nobody serves it or works on
    it, nobody has read its feed, and files that were not kept are not promised.
    """
    return (
        "DELETE FROM forager_storelock",
        "UPDATE forager_export SET status = 'expired' WHERE status = 'completed'",
        "UPDATE forager_job SET lease_until = NULL WHERE status = 'running'",
        f"UPDATE forager_store SET generation = '{random_id('gen')}', generation_reason = '{RESTORED}'",  # noqa: S608
    )
