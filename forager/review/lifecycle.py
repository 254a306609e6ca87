"""Lifecycle of documents: states, band, owner, authority. One transaction and one event each, effective at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from forager.model import states
from forager.model.ids import random_id
from forager.model.models import Document, KnowledgeBase, ReviewEvent, Source
from forager.review import purge, views

BANDS = ("tenant", "general")


class StepRefused(Exception):
    """The change cannot be made; ``field`` says what is wrong with the request, empty when the state forbids it."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Change:
    """``reason`` is the person's own words, ``code`` one of the reasons the step knows."""

    state: str
    actor: str
    reason: str
    code: str = ""
    by: str = "person"


def change_state(document_id: str, change: Change) -> Document:
    """Takes one permitted step. Deleting also removes bytes, texts and excerpts; digests and a tombstone stay."""
    with transaction.atomic():
        base, document = _locked(document_id)
        step = states.step(document.state, change.state, change.by)
        if step is None:
            raise StepRefused(_no_such_step(document, change.by))
        code = change.code or step.reasons[0]
        if code not in step.reasons:
            raise StepRefused(f"The reason is one of: {', '.join(step.reasons)}.", "reason_code")
        if change.by == "person" and not change.reason.strip():
            raise StepRefused("Say why; it is kept with the document.", "reason")
        before = {"status": document.state}
        document.state, document.state_code = change.state, code
        document.state_reason, document.state_by = change.reason.strip(), change.actor
        document.state_at = timezone.now()
        if before["status"] == "suspended" and change.state == "active":
            document.cleared_source_id = _newest(document)
        document.save()
        blobs = purge.rows_of(document) if change.state == "deleted" else ()
        _note(base, document, f"document.{change.state}", before, {"status": change.state, "code": code}, change)
        views.moved(base, cause=document.pk, origin=change.by)
    purge.bytes_of(blobs)  # after the commit: a blob that outlives its rows is found by `verify`, the reverse is a loss
    return document


def edit(document_id: str, fields: Mapping[str, str | bool], *, actor: str, reason: str) -> Document:
    """Sets band, authority or owner. Opening a document to everyone needs a reason."""
    with transaction.atomic():
        base, document = _locked(document_id)
        if document.state == "deleted":
            raise StepRefused("This document was deleted; nothing of it can be changed.")
        before = {name: getattr(document, name) for name in fields}
        changed = {name: value for name, value in fields.items() if value != before[name]}
        if changed.get("band") == "general" and (above := _closed_above(document)):
            raise StepRefused(
                f"It came in {above}, which is not open to everyone. Open that first. Nothing was changed."
            )
        if changed.get("band") == "general" and not reason.strip():
            raise StepRefused("Say why everyone may read it; it is kept with the document.", "reason")
        if not changed:
            return document
        for name, value in changed.items():
            setattr(document, name, value)
        document.save(update_fields=list(changed))
        if changed.get("band") == "tenant":
            _close_below(document)
        change = Change(document.state, actor, reason)
        _note(base, document, "document.edited", {n: before[n] for n in changed}, changed, change)
        views.moved(base, cause=document.pk)
    return document


def _newest(document: Document) -> str:
    newest = Source.objects.filter(document=document).order_by("-sequence").values_list("pk", flat=True)
    return newest.first() or ""


def _closed_above(document: Document) -> str:
    """The path of what the document came in, when not everyone may read that."""
    parents = Document.objects.filter(sources__children__document=document).exclude(band="general")
    return parents.order_by("path").values_list("path", flat=True).first() or ""


def _close_below(document: Document) -> None:
    """What lies in a document is never open to more people than the document."""
    inside = set(Document.objects.filter(sources__parent__document=document).values_list("pk", flat=True))
    while inside:
        Document.objects.filter(pk__in=inside).update(band="tenant")
        inside = set(Document.objects.filter(sources__parent__document__in=inside).values_list("pk", flat=True))


def _locked(document_id: str) -> tuple[KnowledgeBase, Document]:
    document = Document.objects.get(pk=document_id)
    base = KnowledgeBase.objects.select_for_update().get(pk=document.base_id)
    document.refresh_from_db()
    return base, document


def _no_such_step(document: Document, by: str) -> str:
    open_ones = ", ".join(s.to for s in states.steps_for(document.state, by))
    what = f"It can become {open_ones}." if open_ones else "Nothing follows on that."
    return f"This document is {document.state}. {what} Nothing was changed."


def _note(
    base: KnowledgeBase,
    document: Document,
    action: str,
    before: dict[str, Any],
    after: dict[str, Any],
    change: Change,
) -> None:
    ReviewEvent.objects.create(
        id=random_id("rve"),
        base=base,
        target_id=document.pk,
        action=action,
        before=before,
        after=after,
        actor=change.actor,
        notes=change.reason,
        at=timezone.now(),
    )
