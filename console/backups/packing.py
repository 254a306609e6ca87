"""The file of a backup: a zip of the console's database, the engine's own backup and a manifest with their digests.

The console's part is made first and the engine's after it: what is restored may know more in the engine than the
console noted, which its reader of the feed finds, but never the other way round. Keys and credentials stay outside.
"""

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from console import database, env
from console.connection.settings import Mode
from console.connection.store_care import EngineRefused, KeptStore, has_store, keep_store
from stores.copies import CopyRefused

FORMAT, FORMAT_VERSION = "anthill-backup", 1
MANIFEST, ENGINE = "backup.json", "engine.backup"
SUFFIX, PARTIAL = ".anthill", ".backup-"
CHUNK_BYTES = 1024 * 1024
ATTACHED = "The engine is attached: whoever runs it keeps it."
NO_STORE = "The managed engine has no store yet."


class BackupRefused(Exception):
    """Nothing was written, or nothing was restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Packed:
    """``engine`` is None where no engine's store is in it; ``left_out`` then says why."""

    path: Path
    size_bytes: int
    sha256: str
    made_at: str
    engine: KeptStore | None
    left_out: str


def pack(path: Path, values: env.Values) -> Packed:
    """The file appears under its name only when it is whole, readable by its owner alone."""
    if path.exists():
        raise BackupRefused(f"{path} is there already; nothing is written over.")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=PARTIAL) as held:
        folder = Path(held)
        console = folder / database.COPY_NAMES[database.kind()]
        try:
            database.copy_to(console)
        except CopyRefused as refused:
            raise BackupRefused(f"The console's database was not copied. {refused}") from None
        engine, left_out = _engine(values, folder / ENGINE)
        manifest = _manifest(console, engine, left_out, folder / ENGINE)
        whole = _zipped(folder, console, manifest, has_engine=engine is not None)
        size, digest = whole.stat().st_size, sha256_of(whole)
        whole.replace(path)
    return Packed(path, size, digest, manifest["made_at"], engine, left_out)


def sweep(folder: Path) -> None:
    """What makers that were ended hard left behind. Only where no other makes one in the folder."""
    for each in folder.glob(f"{PARTIAL}*"):
        shutil.rmtree(each, ignore_errors=True)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _engine(values: env.Values, file: Path) -> tuple[KeptStore | None, str]:
    if values.text("knowledge_mode") != Mode.MANAGED:
        return None, ATTACHED
    if not has_store(values):
        return None, NO_STORE
    try:
        return keep_store(values, file), ""
    except EngineRefused as refused:
        raise BackupRefused(f"The engine's store was not kept. {refused}") from None


def _manifest(console: Path, engine: KeptStore | None, left_out: str, file: Path) -> dict[str, Any]:
    applied = sorted(MigrationRecorder(connection).applied_migrations())
    told: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "console": {"database": database.kind(), "migrations": applied, **_facts(console)},
        "engine": None,
        "engine_left_out": left_out,
    }
    if engine is not None:
        about = {"instance_id": engine.instance_id, "generation": engine.generation, "version": engine.engine}
        told["engine"] = {**about, "made_at": engine.made_at, **_facts(file)}
    return told


def _facts(part: Path) -> Mapping[str, object]:
    return {"part": part.name, "sha256": sha256_of(part), "bytes": part.stat().st_size}


def _zipped(folder: Path, console: Path, manifest: Mapping[str, Any], *, has_engine: bool) -> Path:
    whole = folder / "whole"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(console, console.name)
        if has_engine:
            archive.write(folder / ENGINE, ENGINE, zipfile.ZIP_STORED)  # packed already
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1, sort_keys=True))
    whole.chmod(0o600)
    with whole.open("rb") as written:
        os.fsync(written.fileno())
    return whole
