"""Packages of other installations: handed in, looked through, taken in when a person says so."""

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from forager.api import shapes
from forager.api.access import Scope, require
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, FileTooLarge, NotFound, UnsupportedMediaType, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339, rfc3339_or_none
from forager.interchange import importing
from forager.interchange.importing import ImportRefused
from forager.model.models import Import, Origin


@endpoint("GET", "/projects/<base>/imports", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_imports(call: Call[shapes.ListQuery, None], base: str) -> shapes.Page:
    """The packages handed in for a base, newest first."""
    row = call.base(base)
    return paginate(
        Import.objects.filter(base=row),
        ("-created_at", "-id"),
        lambda found: [shape(one) for one in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


@endpoint(
    "POST", "/projects/<base>/imports", Scope.INGEST, answer=shapes.Import, status=202, errors=(409, 413, 415, 507)
)
def create_import(call: Call[None, None], base: str) -> shapes.Import:
    """Hands in a package (multipart: `package`, and `actor`). A worker looks through it; nothing is taken in yet."""
    require(call.caller, Scope.REVIEW)
    row = call.open_base(base)
    file = _file(call)
    actor = call.request.POST.get("actor", call.caller.name)
    return shape(importing.hand_in(row, file.chunks(), actor=actor))


@endpoint("GET", "/imports/<import_id>", Scope.READ, answer=shapes.Import)
def get_import(call: Call[None, None], import_id: str) -> shapes.Import:
    """One import: what it would add, skip and keep, or what came of it."""
    return shape(_import(call, import_id))


@endpoint(
    "POST", "/imports/<import_id>/apply", Scope.INGEST,
    body=shapes.ApplyImport, answer=shapes.Import, status=202, errors=(409,),
)  # fmt: skip
def apply_import(call: Call[None, shapes.ApplyImport], import_id: str) -> shapes.Import:
    """Takes in a package that was looked through; asked again, it is taken in once."""
    require(call.caller, Scope.REVIEW)
    row = _import(call, import_id)
    call.open_base(row.base_id)
    try:
        return shape(importing.apply(row, actor=call.body.get("actor", call.caller.name)))
    except ImportRefused as refused:
        raise Conflicting(str(refused)) from refused


@endpoint("DELETE", "/imports/<import_id>", Scope.INGEST, answer=shapes.Import, errors=(409,))
def delete_import(call: Call[None, None], import_id: str) -> shapes.Import:
    """Lets go of a package that is not to be taken in; its row stays and says so."""
    require(call.caller, Scope.REVIEW)
    try:
        return shape(importing.let_go(_import(call, import_id)))
    except ImportRefused as refused:
        raise Conflicting(str(refused)) from refused


@endpoint("GET", "/projects/<base>/origins", Scope.READ, query=shapes.OriginQuery, answer=shapes.Page)
def list_origins(call: Call[shapes.OriginQuery, None], base: str) -> shapes.Page:
    """The ids that records have where they were made, of one record or of all."""
    row = call.base(base)
    rows = Origin.objects.filter(base=row)
    if record := call.query.get("id"):
        rows = rows.filter(record_id=record)
    if origin := call.query.get("origin_id"):
        rows = rows.filter(origin_id=origin)
    return paginate(
        rows,
        ("id",),
        lambda found: [_origin(one) for one in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


def _file(call: Call[None, None]) -> "UploadedFile[bytes]":
    if call.request.content_type != "multipart/form-data":
        raise UnsupportedMediaType("Send multipart/form-data with the file in `package`.")
    unknown = (set(call.request.FILES) - {"package"}) | (set(call.request.POST) - {"actor"})
    if unknown:
        raise ValidationFailed(fields=dict.fromkeys(sorted(unknown), "unknown"))
    files = call.request.FILES.getlist("package")
    if len(files) != 1:
        raise ValidationFailed(fields={"package": "needs one file"})
    if (files[0].size or 0) > settings.MAX_FILE_BYTES:
        raise FileTooLarge(f"The package is over the limit of {settings.MAX_FILE_BYTES} bytes.")
    return files[0]


def _import[B](call: Call[None, B], import_id: str) -> Import:
    row = Import.objects.filter(pk=import_id).select_related("base").first()
    if row is None:
        raise NotFound
    call.fence(row.base_id)
    return row


def shape(row: Import) -> shapes.Import:
    return {
        "id": row.pk,
        "project_id": row.base_id,
        "status": row.status,
        "size_bytes": row.size_bytes,
        "sha256": row.sha256,
        "producer": row.producer,
        "preview": row.preview,
        "outcome": row.outcome,
        "job_id": row.job_id or None,
        "actor": row.actor,
        "error": row.error or None,
        "created_at": rfc3339(row.created_at),
        "expires_at": rfc3339(row.expires_at),
        "finished_at": rfc3339_or_none(row.finished_at),
    }


def _origin(row: Origin) -> shapes.Origin:
    return {
        "kind": row.kind,
        "id": row.record_id,
        "instance_id": row.instance_id,
        "origin_id": row.origin_id,
    }
