"""Versions of documents: listed, read, and uploaded. Nothing a file is or holds fails the batch."""

import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import FileResponse, HttpRequest

from forager.api import documents, ranges, shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound, UnsupportedMediaType, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339, rfc3339_or_none
from forager.model import blobs
from forager.model.documents import PACKED
from forager.model.models import KnowledgeBase, Source, SourceText
from forager.pipeline import registration

MAX_PATH = 1000
WAS_DELETED = "A document under this path was deleted, and stays so. Load this one under another path."
UNREAD: shapes.Ledger = {"unit": "unit", "units": 0, "read": 0, "skipped": 0, "silent": []}


@endpoint("GET", "/projects/<base>/sources", Scope.READ, query=shapes.EntityQuery, answer=shapes.Page)
def list_sources(call: Call[shapes.EntityQuery, None], base: str) -> shapes.Page:
    """The sources of a base, by path; `q` finds any part of it."""
    row, part = call.base(base), call.query.get("q", "")
    rows = Source.objects.filter(base=row).select_related("document")
    return paginate(
        rows.filter(path__icontains=part) if part else rows,
        ("path", "id"),
        lambda found: [shape(s) for s in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        total=None if part else row.source_count,
        view_id=row.view_id,
    )


@endpoint("GET", "/sources/<source>", Scope.READ, answer=shapes.Source)
def get_source(call: Call[None, None], source: str) -> shapes.Source:
    """One source."""
    return shape(source_at(call, source))


@endpoint("GET", "/sources/<source>/text", Scope.READ, answer=shapes.Text)
def get_text(call: Call[None, None], source: str) -> shapes.Text:
    """The one stored text of a source, its blocks, and what in it can be no evidence."""
    row = _readable(call, source)
    return text_shape(row.pk, SourceText.objects.filter(source=row).first())


def text_shape(source: str, stored: SourceText | None) -> shapes.Text:
    """An empty text for a source that has none."""
    if stored is None:
        return {
            "source_id": source,
            "text": "",
            "text_hash": "",
            "offset_unit": "codepoint",
            "blocks": [],
            "excluded": [],
        }
    blocks: list[shapes.TextBlock] = [
        {k: b[k] for k in ("start", "end", "kind", "location", "locator")}  # type: ignore[misc]
        for b in stored.blocks
    ]
    return {
        "source_id": source,
        "text": stored.text,
        "text_hash": stored.text_hash,
        "offset_unit": "codepoint",
        "blocks": blocks,
        "excluded": stored.excluded,
    }


@endpoint("GET", "/sources/<source>/content", Scope.READ, answer=bytes, also=(206,), errors=(416,))
def get_content(call: Call[None, None], source: str) -> FileResponse:
    """The original bytes, as a download that no browser runs."""
    row = _readable(call, source)
    path = blobs.path_of(row.content_hash)
    if not _has_original(row) or not path.exists():
        raise NotFound
    response = ranges.download(
        call.request, path, name=row.original_name, media_type="application/octet-stream", sha256=row.content_hash
    )
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


@endpoint(
    "POST", "/projects/<base>/sources", Scope.INGEST, answer=shapes.Uploaded, status=201, errors=(409, 413, 415, 507)
)
def upload_sources(call: Call[None, None], base: str) -> shapes.Uploaded:
    """Registers uploaded files (multipart, repeated `files` with index-matched `paths`). No job starts."""
    row = call.open_base(base)
    if call.request.content_type != "multipart/form-data":
        raise UnsupportedMediaType("Send multipart/form-data with the files in `files`.")
    _refuse_unknown_fields(call.request)
    files = call.request.FILES.getlist("files")
    paths = call.request.POST.getlist("paths") or [f.name or "" for f in files]
    _check_pairs(files, paths)
    answer: shapes.Uploaded = {"items": [], "refused": []}
    for file, path in zip(files, paths, strict=True):
        _take(call, row, file, path, answer)
    return answer


def _refuse_unknown_fields(request: HttpRequest) -> None:
    unknown = (set(request.FILES) - {"files"}) | (set(request.POST) - {"paths"})
    if unknown:
        raise ValidationFailed(fields=dict.fromkeys(sorted(unknown), "unknown"))


def _check_pairs(files: Sequence["UploadedFile[bytes]"], paths: Sequence[str]) -> None:
    if not files:
        raise ValidationFailed("There is no file in this request.", fields={"files": "required"})
    if len(files) != len(paths):
        raise ValidationFailed(fields={"paths": "needs one path for each file, in the same order"})


def _take(
    call: Call[None, None], base: KnowledgeBase, file: "UploadedFile[bytes]", path: str, answer: shapes.Uploaded
) -> None:
    clean = _clean_path(path)
    if not clean:
        answer["refused"].append(_refusal(path, "bad_path", "The path is empty, absolute or leaves its folder."))
        return
    if len(clean) > MAX_PATH:
        message = f"The path is over {MAX_PATH} characters long."
        answer["refused"].append(_refusal(clean, "path_too_long", message))
        return
    if (file.size or 0) > settings.MAX_FILE_BYTES:
        message = f"The file is over the limit of {settings.MAX_FILE_BYTES} bytes."
        answer["refused"].append(_refusal(clean, "file_too_large", message))
        return
    blob = blobs.write(file.chunks())
    state = "approved" if Scope.REVIEW in call.caller.scopes else "proposed"
    try:
        with transaction.atomic():
            registered = registration.register(base, clean, blob, origin_kind="upload", state=state)
    except registration.WasDeleted:
        answer["refused"].append(_refusal(clean, "was_deleted", WAS_DELETED))
        return
    source = Source.objects.select_related("document").get(pk=registered.source.pk)
    if registered.is_new:
        answer["items"].append(shape(source))
    else:
        message = "The same bytes lie under this path already. Nothing was added."
        answer["refused"].append({**_refusal(clean, "already_there", message), "twin_id": source.pk})


def _clean_path(path: str) -> str:
    """A relative path with forward slashes, or '' when it is none. A name is the same however its accents are typed."""
    text = unicodedata.normalize("NFC", path.replace("\\", "/").strip())
    parts = PurePosixPath(text).parts
    if not parts or text.startswith("/") or ".." in parts or any(ord(c) < 32 for c in text):
        return ""
    return "/".join(parts)


def _refusal(path: str, code: str, message: str) -> shapes.Refusal:
    return {"path": path, "code": code, "message": message, "twin_id": None}


def source_at[Q, B](call: Call[Q, B], source: str) -> Source:
    row = Source.objects.filter(pk=source).select_related("document").first()
    if row is None:
        raise NotFound
    call.fence(row.base_id)
    return row


def _readable(call: Call[None, None], source: str) -> Source:
    row = source_at(call, source)
    documents.readable(call.caller, row)
    return row


def _has_original(row: Source) -> bool:
    """Whether bytes under its digest are its own: they may lie there of another document, of this base or any other."""
    return row.origin_kind != PACKED and "deleted" not in (row.processing_status, row.document.state)


def shape(row: Source) -> shapes.Source:
    document = row.document
    return {
        "id": row.pk,
        "document_id": row.document_id,
        "project_id": row.base_id,
        "original_name": row.original_name,
        "path": row.path,
        "title": row.title,
        "source_type": row.source_type,
        "media_type": row.media_type,
        "content_hash": row.content_hash,
        "size_bytes": row.size_bytes,
        "processing_status": row.processing_status,
        "state": document.state,
        "document_date": row.document_date or None,
        "document_date_from": row.document_date_from or None,
        "band": document.band,
        "authoritative": document.authoritative,
        "owner": document.owner,
        "duplicate_of": row.duplicate_of or None,
        "superseded_by": row.superseded_by or None,
        "origin_id": row.origin_id or row.pk,
        "chunk_count": row.chunk_count,
        "knowledge_count": row.knowledge_count,
        "encoding": row.encoding,
        "ledger": row.ledger or UNREAD,
        "warnings": row.warnings,
        "registered_at": rfc3339(row.registered_at),
        "last_verified_at": rfc3339_or_none(row.last_verified_at),
        "origin_kind": row.origin_kind,
    }
