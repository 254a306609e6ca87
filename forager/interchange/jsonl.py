"""``jsonl``: one file a record kind and a manifest, zipped with fixed dates, so equal knowledge gives equal bytes."""

import hashlib
import json
import zipfile
from io import BytesIO
from pathlib import Path

import structlog
from django.conf import settings
from django.db import transaction

from forager.interchange import records
from forager.model import dialect, feed
from forager.model.models import Export, KnowledgeBase, Revision

log = structlog.get_logger("forager.export")
FORMAT_VERSION = 1
EPOCH = (1980, 1, 1, 0, 0, 0)


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
        files = {kind: _lines(base, kind, logical=False) for kind in records.kinds()}
        revision = Revision.objects.filter(base=base, sequence=base.current_revision).first()
    export.counts = {kind: content.count(b"\n") for kind, content in files.items()}
    export.view_id, export.revision_id = base.view_id, revision.pk if revision else ""
    archive = _zip(base, files, export.counts)
    path = path_of(export)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_bytes(archive)
    partial.replace(path)
    export.size_bytes, export.sha256 = len(archive), hashlib.sha256(archive).hexdigest()
    export.status = "completed"
    with transaction.atomic():
        export.save()
        feed.announce(base, feed.EXPORTED, export_id=export.pk, package_digest=export.sha256, causation_id=export.pk)


def logical_lines(base: KnowledgeBase) -> bytes:
    """Everything of a base that two runs over the same documents must agree on, as one stream."""
    return b"".join(
        b"# " + kind.encode() + b"\n" + _lines(base, kind, logical=True) for kind in sorted(records.kinds())
    )


def _lines(base: KnowledgeBase, kind: str, *, logical: bool) -> bytes:
    rows = (json.dumps(r, ensure_ascii=False, sort_keys=True) + "\n" for r in records.rows(base, kind, logical=logical))
    return "".join(rows).encode()


def _zip(base: KnowledgeBase, files: dict[str, bytes], counts: dict[str, int]) -> bytes:
    manifest = {
        "format": "jsonl",
        "format_version": FORMAT_VERSION,
        "project": {"id": base.pk, "name": base.name},
        "view_id": base.view_id,
        "counts": counts,
        "files": {f"{kind}.jsonl": hashlib.sha256(content).hexdigest() for kind, content in sorted(files.items())},
    }
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        named = {f"{kind}.jsonl": content for kind, content in files.items()}
        named["manifest.json"] = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False).encode()
        for name in sorted(named):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), named[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()
