"""Packages that were handed in, worked off by a worker: looked through, and taken in when a person has said so."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from forager.interchange import opening, package, taking
from forager.interchange.deciding import DecisionStep, What
from forager.interchange.opening import Package, PackageRefused
from forager.interchange.planning import DocumentStep, Plan, plan
from forager.model import dialect, storage
from forager.model.documents import PACKED
from forager.model.ids import random_id
from forager.model.models import Import, KnowledgeBase, Source

log = structlog.get_logger("forager.import")
EXAMPLES = 50
MAX_TRIES = 3
ENDED_THE_WORKER = "Working on it ended the worker again and again. It is too large for this machine, or made to harm."


class ImportRefused(Exception):
    """What was asked does not fit how the import stands; the message says why."""


def path_of(row: Import) -> Path:
    return Path(settings.DATA_DIR) / "imports" / f"{row.pk}.zip"


def hand_in(base: KnowledgeBase, pieces: Iterable[bytes], *, actor: str) -> Import:
    """Keeps the file; a worker looks through it and changes nothing yet."""
    now = timezone.now()
    row = Import(
        id=random_id("imp"),
        base=base,
        actor=actor[:200],
        created_at=now,
        expires_at=now + timedelta(days=settings.EXPORT_DAYS),
    )
    path = path_of(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    partial = path.with_suffix(".partial")
    try:
        with partial.open("wb") as out:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                out.write(piece)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    row.sha256, row.size_bytes = digest.hexdigest(), size
    row.save(force_insert=True)
    return row


def apply(row: Import, *, actor: str) -> Import:
    """Asks for a package that was looked through to be taken in; asked twice, it is taken in once."""
    changed = Import.objects.filter(pk=row.pk, status="ready").update(status="applying", actor=actor[:200])
    row.refresh_from_db()
    if not changed and row.status not in ("applying", "reading", "completed"):
        raise ImportRefused(_cannot(row))
    return row


def let_go(row: Import) -> Import:
    """Drops a package that nobody wants taken in. What was taken in stays."""
    changed = Import.objects.filter(pk=row.pk, status__in=("ready", "checking")).update(
        status="dropped", finished_at=timezone.now()
    )
    row.refresh_from_db()
    if not changed and row.status != "dropped":
        raise ImportRefused(_cannot(row))
    path_of(row).unlink(missing_ok=True)
    return row


def _cannot(row: Import) -> str:
    return f"This import is {row.status}. {row.error}".strip()


def work_waiting() -> bool:
    """One step of the oldest import that waits for one. A worker that dies in it leaves it waiting."""
    steps: Mapping[str, Callable[[Import, Package], None]] = {
        "checking": _look_through, "applying": _take_in, "reading": _finish,
    }  # fmt: skip
    for waiting in Import.objects.filter(status__in=steps).order_by("created_at").values_list("pk", flat=True):
        with dialect.taken(f"import {waiting}") as is_ours:
            row = Import.objects.filter(pk=waiting, status__in=steps).select_related("base").first()
            if is_ours and row is not None and not (row.status == "reading" and _is_being_read(row)):
                _step_or_give_up(row, steps[row.status])
                return True
    return False


def _is_worth_a_try(row: Import) -> bool:
    """Counted before the step: a hard end in it, too."""
    if row.tries >= MAX_TRIES:
        _end(row, "failed", ENDED_THE_WORKER)
        return False
    Import.objects.filter(pk=row.pk).update(tries=F("tries") + 1)
    return True


def expire_one() -> bool:
    """Removes a package nobody took in in time; its row stays and says so. Answers whether there was one."""
    row = Import.objects.filter(status="ready", expires_at__lte=timezone.now()).first()
    if row is None:
        return False
    _end(row, "expired", "Nobody took it in. Load the package again.")
    return True


def _is_being_read(row: Import) -> bool:
    """Whether documents a package brought still wait to be read, by whatever run."""
    waiting = Source.objects.filter(base=row.base_id, origin_kind=PACKED, pipeline_version="")
    return waiting.exclude(processing_status="deleted").exists()


def _step_or_give_up(row: Import, step: Callable[[Import, Package], None]) -> None:
    if not _is_worth_a_try(row):
        return
    try:
        step(row, opening.opened(path_of(row)))
        Import.objects.filter(pk=row.pk).update(tries=0)
    except PackageRefused as refused:
        _end(row, "refused", str(refused))
    except FileNotFoundError:
        _end(row, "failed", "The package is gone from the engine's folder. Load it again.")
    except Exception as error:  # the boundary: one package must not end its worker again and again
        if storage.trouble(error):  # of the disk or the database, not of the package: no try of its own
            with suppress(DatabaseError):
                Import.objects.filter(pk=row.pk).update(tries=row.tries)
            raise
        log.exception("import_failed", import_id=row.pk)
        _end(row, "failed", f"The engine failed while taking it in: {type(error).__name__}. Nothing more was taken in.")


def _look_through(row: Import, found: Package) -> None:
    told = found.manifest
    row.producer = {**told["producer"], "project": told["project"]["name"], "revision": told["revision"]["sequence"]}
    row.preview = _told(plan(row.base, found))
    with transaction.atomic():
        if Import.objects.select_for_update().filter(pk=row.pk, status="checking").exists():
            row.status = "ready"
            row.save(update_fields=["producer", "preview", "status"])


def _take_in(row: Import, found: Package) -> None:
    taking.register(row, found, _told)


def _finish(row: Import, found: Package) -> None:
    by_hand = taking.finish(row, found)
    row.outcome = {**row.outcome, "by_hand": by_hand}
    row.save(update_fields=["outcome"])
    _end(row, "completed", "")


def _end(row: Import, status: str, error: str) -> None:
    row.status, row.error, row.finished_at = status, error[:500], timezone.now()
    row.save(update_fields=["status", "error", "finished_at"])
    path_of(row).unlink(missing_ok=True)


def _told(made: Plan) -> dict[str, Any]:
    """``{kind: {adds, updates, skips, keeps}}`` and the first records: what does not simply come in, then the rest."""
    fresh = sum(item not in made.known for item in set(made.statements.values()))
    return {
        "documents": _counts(made.documents),
        "statements": {"adds": fresh, "skips": len(made.package.statements) - fresh},
        "decisions": _counts(made.decisions),
        "standing": _standing(made),
        "examples": [*_examples(made)][:EXAMPLES],
        "package_version": package.VERSION,
    }


def _standing(made: Plan) -> dict[str, int]:
    """Of the documents that are added: how many are open to all, and how many govern what others say."""
    added = [step.document for step in made.documents if step.what is What.ADD]
    return {
        "general": sum(row["band"] == package.GENERAL for row in added),
        "governing": sum(row["authoritative"] for row in added),
    }


def _counts(steps: Iterable[DocumentStep | DecisionStep]) -> dict[str, int]:
    found = Counter(step.what for step in steps)
    return {str(what): found[what] for what in What}


def _examples(made: Plan) -> Iterable[dict[str, str]]:
    for step in made.documents:
        if step.what in (What.KEEP, What.UPDATE) or (step.what is What.SKIP and step.why):
            yield {"kind": "document", "what": str(step.what), "name": step.document["path"], "why": step.why}
    for decision in made.decisions:
        if decision.what is What.KEEP:
            name = decision.decision["anchor"].get("attribute_key", "")
            yield {"kind": "decision", "what": str(decision.what), "name": name, "why": decision.why}
    for step in made.documents:
        if step.what is What.ADD:
            yield {"kind": "document", "what": str(step.what), "name": step.document["path"], "why": ""}
