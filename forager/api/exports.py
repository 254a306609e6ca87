"""Exports: asked for, followed, downloaded."""

from datetime import timedelta

from django.conf import settings
from django.http import FileResponse
from django.utils import timezone

from forager.api import ranges, shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, NotFound
from forager.api.paging import paginate
from forager.api.times import rfc3339
from forager.interchange import writing
from forager.model.ids import random_id
from forager.model.models import Export

NO_FILE_YET = "This export has no file yet."


@endpoint("GET", "/projects/<base>/exports", Scope.EXPORT, query=shapes.ListQuery, answer=shapes.Page)
def list_exports(call: Call[shapes.ListQuery, None], base: str) -> shapes.Page:
    """The exports of a base, newest first."""
    row = call.base(base)
    return paginate(
        Export.objects.filter(base=row).defer("documents"),
        ("-created_at", "-id"),
        lambda found: [shape(e) for e in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


@endpoint("POST", "/projects/<base>/exports", Scope.EXPORT, body=shapes.NewExport, answer=shapes.Export, status=202)
def create_export(call: Call[None, shapes.NewExport], base: str) -> shapes.Export:
    """Asks for a file of the base as it stands; a worker writes it."""
    now = timezone.now()
    row = Export.objects.create(
        id=random_id("exp"),
        base=call.base(base),
        format=call.body["format"],
        created_at=now,
        expires_at=now + timedelta(days=settings.EXPORT_DAYS),
    )
    return shape(row)


@endpoint("GET", "/exports/<export>", Scope.EXPORT, answer=shapes.Export)
def get_export(call: Call[None, None], export: str) -> shapes.Export:
    """One export: its state, size and checksum."""
    return shape(_export(call, export))


@endpoint("GET", "/exports/<export>/download", Scope.EXPORT, answer=bytes, also=(206,), errors=(409, 416))
def download_export(call: Call[None, None], export: str) -> FileResponse:
    """The finished file, or a range of it."""
    row = _export(call, export)
    path = writing.path_of(row)
    if row.status != "completed" or not path.exists():
        raise Conflicting(
            row.error or ("Its file is gone. Make a new one." if row.status == "expired" else NO_FILE_YET)
        )
    name = f"{row.base.name}-{row.format}-{row.created_at:%Y-%m-%d-%H%M}.zip"
    response = ranges.download(call.request, path, name=name, media_type="application/zip", sha256=row.sha256)
    response.headers["X-Checksum-Sha256"] = row.sha256
    return response


def _export(call: Call[None, None], export: str) -> Export:
    row = Export.objects.filter(pk=export).select_related("base").first()
    if row is None:
        raise NotFound
    call.fence(row.base_id)
    return row


def shape(row: Export) -> shapes.Export:
    return {
        "id": row.pk,
        "project_id": row.base_id,
        "format": row.format,
        "status": row.status,
        "revision_id": row.revision_id or None,
        "size_bytes": row.size_bytes,
        "sha256": row.sha256 or None,
        "counts": row.counts,
        "error": row.error or None,
        "created_at": rfc3339(row.created_at),
        "expires_at": rfc3339(row.expires_at),
    }
