"""Exports that were asked for, written by a worker, one after the other."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from forager.interchange import jsonl, obsidian, package, packing
from forager.interchange.packing import Made
from forager.model import dialect, feed
from forager.model.models import Document, Export, KnowledgeBase, Revision, Source

log = structlog.get_logger("forager.export")
FORMATS: Mapping[str, Callable[[KnowledgeBase], Made]] = {
    "jsonl": jsonl.made,
    "anthill": package.made,
    "obsidian": obsidian.made,
}


def path_of(export: Export) -> Path:
    return Path(settings.DATA_DIR) / "exports" / f"{export.pk}.zip"


def write_waiting() -> bool:
    """Writes the oldest asked-for export. A worker that dies here leaves it waiting; it is simply written again."""
    for waiting in Export.objects.filter(status="queued").order_by("created_at").values_list("pk", flat=True):
        with dialect.taken(f"export {waiting}") as is_ours:
            export = Export.objects.filter(pk=waiting, status="queued").select_related("base").first()
            if is_ours and export is not None:
                _write_or_give_up(export)
                return True
    return False


def expire_one() -> bool:
    """Removes the file of an export whose time is over; its row stays and says so. Answers whether there was one."""
    export = Export.objects.filter(status="completed", expires_at__lte=timezone.now()).order_by("expires_at").first()
    if export is None:
        return False
    path_of(export).unlink(missing_ok=True)
    Export.objects.filter(pk=export.pk, status="completed").update(status="expired")
    return True


def _write_or_give_up(export: Export) -> None:
    try:
        _write(export)
    except OSError as error:
        _give_up(export, f"The file could not be written: {error.strerror}.")
    except Exception as error:  # the boundary: one export that cannot be made must not end its worker again and again
        log.exception("export_failed", export=export.pk)
        _give_up(export, f"The engine failed while making it: {type(error).__name__}.")


def _give_up(export: Export, why: str) -> None:
    export.status, export.error = "failed", why
    export.save(update_fields=["status", "error"])


def _write(export: Export) -> None:
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=export.base_id)
        made = FORMATS[export.format](base)
        export.documents = _holds(base)
        revision = Revision.objects.filter(base=base, sequence=base.current_revision).first()
    export.counts = made.counts
    export.view_id, export.revision_id = base.view_id, revision.pk if revision else ""
    archive = packing.zipped(made.files)
    path = path_of(export)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_bytes(archive)
    partial.replace(path)
    export.size_bytes, export.sha256 = len(archive), hashlib.sha256(archive).hexdigest()
    export.status = "completed"
    with transaction.atomic():
        base = KnowledgeBase.locked(base.pk)
        if _was_deleted(base, export.documents):
            path.unlink(missing_ok=True)
            return  # it is still asked for, and written again without what was deleted meanwhile
        export.save()
        feed.announce(base, feed.EXPORTED, export_id=export.pk, package_digest=export.sha256, causation_id=export.pk)


def _holds(base: KnowledgeBase) -> list[str]:
    """The documents whose words may be in a file made now: all that were read, whatever a format takes of each."""
    read = Source.objects.filter(base=base).exclude(document__state="deleted").exclude(stored__isnull=True, title="")
    return sorted(set(read.values_list("document_id", flat=True)))


def _was_deleted(base: KnowledgeBase, documents: Iterable[str]) -> bool:
    deleted = Document.objects.filter(base=base, state="deleted").values_list("pk", flat=True)
    return not set(deleted).isdisjoint(documents)
