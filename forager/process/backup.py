"""``backup FILE``: one file of the whole store as it was at one moment, made while the engine goes on.

The database is copied as of one commit, then the bytes its sources own; these never change, so that only a deletion can
come between, and then the copy is made anew. What is sealed (keys, tokens' secrets) is not in a store; exports can be
made again and are left out.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from forager.model import blobs, dialect
from forager.model.bases import Store
from forager.model.models import Source
from forager.process.declaring import Subparsers
from stores.copies import CopyRefused

FORMAT, FORMAT_VERSION = "forager-backup", 1
MANIFEST, BLOBS = "backup.json", "blobs"
DATABASES = {"sqlite": "store.sqlite3", "postgresql": "store.dump"}
TRIES = 5
OWNED = "SELECT DISTINCT blob FROM forager_source WHERE processing_status <> 'deleted'"


class BackupRefused(Exception):
    """Nothing was written, or nothing was restored; the message says why."""


def declare(commands: Subparsers) -> None:
    parser = commands.add_parser("backup", help="write the whole store into one file, while it is served")
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="answer as JSON: which store, of when")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    try:
        manifest = write(given.file)
    except (BackupRefused, OSError) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    words = f"{given.file}: {manifest['blobs']['files']} files of sources, {manifest['made_at']}"
    print(json.dumps(manifest) if given.json else words)  # noqa: T201 - a command's answer
    return 0


def write(path: Path) -> dict[str, Any]:
    """Answers the manifest. The file appears under its name only when it is whole."""
    if path.exists():
        raise BackupRefused(f"{path} is there already; nothing is written over.")
    if not dialect.has_tables() or not Store.objects.exists():
        raise BackupRefused("There is nothing to keep: this store was never served.")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as folder:  # its owner's alone
        partial = Path(folder) / path.name
        try:
            manifest = _write(partial, Path(folder) / f"{path.name}.{DATABASES[kind()]}")
        except CopyRefused as refused:
            raise BackupRefused(f"The database was not copied. {refused}") from None
        partial.chmod(0o600)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    return manifest


def _write(partial: Path, copy: Path) -> dict[str, Any]:
    for _ in range(TRIES):
        owned = sorted(dialect.copy_to(copy, OWNED))
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            kept = _add_blobs(archive, owned)
            if kept is None:
                continue  # deleted meanwhile: what the copy still names is gone for good
            manifest = _manifest(copy, kept)
            archive.write(copy, DATABASES[kind()])
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1, sort_keys=True))
            return manifest
    raise BackupRefused("Documents were deleted each time this was tried. Try again when that is over.")


def kind() -> str:
    """Which database it is of, as the manifest names it."""
    return "postgresql" if dialect.is_postgres() else "sqlite"


def _add_blobs(archive: zipfile.ZipFile, owned: list[str]) -> list[str] | None:
    """Those that are there; None where one was deleted since the copy. What was lost is left for ``verify`` to tell."""
    kept = []
    for digest in owned:
        try:
            archive.write(blobs.path_of(digest), f"{BLOBS}/{digest}", zipfile.ZIP_STORED)
        except FileNotFoundError:
            if not Source.objects.filter(blob=digest).exclude(processing_status="deleted").exists():
                return None
        else:
            kept.append(digest)
    return kept


def _manifest(copy: Path, kept: list[str]) -> dict[str, Any]:
    store = Store.objects.get()
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "engine": settings.VERSION,
        "instance_id": store.instance_id,
        "generation": store.generation,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "database": {
            "kind": kind(),
            "sha256": sha256_of(copy),
            "bytes": copy.stat().st_size,
            "migrations": sorted(MigrationRecorder(connection).applied_migrations()),
        },
        "blobs": {"files": len(kept), "names_sha256": names_digest(kept)},
    }


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def names_digest(names: list[str]) -> str:
    """Of a list of blobs: a file that is missing or too much changes it."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()
