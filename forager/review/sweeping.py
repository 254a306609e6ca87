"""Bytes nobody owns: of an upload that broke off, or of what was read and then not taken."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import structlog
from django.conf import settings

from forager.model.models import Source

log = structlog.get_logger("forager.sweeping")
GRACE_SECONDS = 3600.0
EVERY_SECONDS = 3600.0
SWEPT = ".swept-"


def without_owner() -> Iterator[Path]:
    """In order of their names. Younger ones than the grace may belong to what is being loaded."""
    folder, now = Path(settings.DATA_DIR) / "blobs", _now()
    owned = set(Source.objects.exclude(processing_status="deleted").values_list("blob", flat=True))
    for path in sorted(folder.rglob("*")) if folder.exists() else ():
        if path.name not in owned and path.is_file() and _is_old(path, now):
            yield path


def one_due() -> bool:
    """Removes what nobody owns when that was not looked for within the hour. Answers whether anything was removed."""
    mark = Path(settings.DATA_DIR) / "swept"
    if mark.exists() and time.time() - mark.stat().st_mtime < EVERY_SECONDS:
        return False
    mark.touch()
    now = _now()
    removed = sum(_remove(path, now) for path in without_owner())
    if removed:
        log.info("bytes_removed", files=removed)
    return removed > 0


def _remove(path: Path, now: float) -> bool:
    """The same content may be stored anew at this very moment: what turns out young goes back."""
    aside = path.with_name(SWEPT + path.name)
    with suppress(FileNotFoundError):  # a worker beside us was faster
        path.replace(aside)
        if _is_old(aside, now):
            aside.unlink()
            return True
        aside.replace(path)
    return False


def _is_old(path: Path, now: float) -> bool:
    return now - path.stat().st_mtime > GRACE_SECONDS


def _now() -> float:
    """By the clock the files' own times come from. One of ours that is ahead would take what is just being loaded."""
    try:
        with tempfile.NamedTemporaryFile(dir=settings.DATA_DIR) as fresh:
            return Path(fresh.name).stat().st_mtime
    except OSError:  # a folder that is only read
        return time.time()
