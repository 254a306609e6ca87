"""Documents: their lifecycle, band, owner and authority, and what changed from one version to the next."""

from forager.api import shapes
from forager.api.access import Caller, Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import ApiError, Conflicting, Forbidden, NotFound, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339_or_none
from forager.model import states
from forager.model.models import Document, Source, SourceText
from forager.pipeline import folders, lease
from forager.review import changes, lifecycle

EDITED = ("band", "authoritative", "owner", "review_by")


@endpoint("GET", "/projects/<base>/documents", Scope.READ, query=shapes.DocumentQuery, answer=shapes.Page)
def list_documents(call: Call[shapes.DocumentQuery, None], base: str) -> shapes.Page:
    """The documents of a base, by path; `state` narrows the list."""
    row = call.base(base)
    rows = Document.objects.filter(base=row).prefetch_related("sources")
    if "state" in call.query:
        rows = rows.filter(state=call.query["state"])
    return paginate(
        rows,
        ("path", "id"),
        lambda found: [shape(d) for d in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


@endpoint("GET", "/documents/<document>", Scope.READ, answer=shapes.Document)
def get_document(call: Call[None, None], document: str) -> shapes.Document:
    """One document with the ids of its versions and the steps that may follow."""
    return shape(_document(call, document))


@endpoint(
    "PATCH", "/documents/<document>", Scope.REVIEW, body=shapes.DocumentPatch, answer=shapes.Document, errors=(409,)
)
def edit_document(call: Call[None, shapes.DocumentPatch], document: str) -> shapes.Document:
    """Sets the band, the authority, the owner or the day of review of a document; `general` needs a reason."""
    _document(call, document)
    fields: dict[str, str | bool] = {n: v for n, v in call.body.items() if n in EDITED and isinstance(v, str | bool)}
    try:
        lifecycle.edit(document, fields, actor=call.body["actor"], reason=call.body.get("reason", ""))
    except lifecycle.StepRefused as error:
        raise _refused(error) from error
    return shape(_document(call, document))


@endpoint(
    "POST",
    "/documents/<document>/state",
    Scope.REVIEW,
    body=shapes.StateChange,
    answer=shapes.Document,
    errors=(409,),
)
def change_state(call: Call[None, shapes.StateChange], document: str) -> shapes.Document:
    """Takes one permitted step of the lifecycle, with a reason; it counts from the next read."""
    row = _document(call, document)
    change = lifecycle.Change(
        state=call.body["state"],
        actor=call.body["actor"],
        reason=call.body["reason"],
        code=call.body.get("reason_code", ""),
    )
    try:
        lifecycle.change_state(document, change)
    except lifecycle.StepRefused as error:
        raise _refused(error) from error
    if change.state == "deleted":
        lease.enqueue(row.base, force=False)  # names and conflicts are resolved anew without it
    return shape(_document(call, document))


@endpoint(
    "POST",
    "/projects/<base>/sources/directory",
    Scope.INGEST,
    body=shapes.DirectoryImport,
    answer=shapes.ImportedFolder,
    status=201,
    errors=(409,),
)
def import_directory(call: Call[None, shapes.DirectoryImport], base: str) -> shapes.ImportedFolder:
    """Registers the files of a folder of the engine's machine, inside FORAGER_ALLOWED_INPUT_ROOTS. No job starts."""
    row = call.open_base(base)
    try:
        root = folders.allowed(call.body["path"])
    except folders.FolderRefused as error:
        raise Forbidden(str(error)) from error
    done = folders.take(row, root, recursive=call.body.get("recursive", True))
    return {
        "registered": done.registered,
        "already_there": done.already_there,
        "refused_count": done.refused_count,
        "refused": [{"path": p, "code": c, "message": m, "twin_id": None} for p, c, m in done.refused],
    }


@endpoint("GET", "/sources/<source>/changes", Scope.READ, answer=shapes.Changes)
def get_changes(call: Call[None, None], source: str) -> shapes.Changes:
    """What this version says otherwise than the one before it, part by part."""
    row = Source.objects.filter(pk=source).select_related("document").first()
    if row is None:
        raise NotFound
    call.fence(row.base_id)
    readable(call.caller, row)
    return changes_shape(row)


def changes_shape(row: Source) -> shapes.Changes:
    before = Source.objects.filter(document=row.document, sequence__lt=row.sequence).order_by("-sequence").first()
    texts = {t.pk: t for t in SourceText.objects.filter(pk__in=[row.pk, before.pk if before else ""])}
    found = changes.between(texts.get(before.pk) if before else None, texts.get(row.pk))
    return {
        "source_id": row.pk,
        "against": before.pk if before else None,
        "changes": [{"kind": c.kind, "before": c.before, "after": c.after, "location": c.location} for c in found],
        "truncated": len(found) == changes.MOST,
    }


def readable(caller: Caller, row: Source) -> None:
    """What a withheld document says is shown only to those who may judge it; to others it is not there."""
    if row.document.state not in states.SPEAKS and Scope.REVIEW not in caller.scopes:
        raise NotFound


def _document[B](call: Call[None, B], document: str) -> Document:
    row = Document.objects.filter(pk=document).select_related("base").prefetch_related("sources").first()
    if row is None:
        raise NotFound
    call.fence(row.base_id)
    return row


def _refused(error: lifecycle.StepRefused) -> ApiError:
    if error.field:
        return ValidationFailed(str(error), fields={error.field: str(error)})
    return Conflicting(str(error))


def shape(row: Document) -> shapes.Document:
    return {
        "id": row.pk,
        "project_id": row.base_id,
        "path": row.path,
        "state": row.state,
        "state_code": row.state_code,
        "state_reason": row.state_reason,
        "state_by": row.state_by,
        "state_at": rfc3339_or_none(row.state_at),
        "steps": [{"state": s.to, "reason_codes": list(s.reasons)} for s in states.steps_for(row.state)],
        "owner": row.owner,
        "review_by": row.review_by or None,
        "band": row.band,
        "authoritative": row.authoritative,
        "current_source_id": row.current_source_id or None,
        "versions": [s.pk for s in sorted(row.sources.all(), key=lambda s: s.sequence)],
    }
