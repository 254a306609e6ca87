"""Sources: what the base has read, bringing more in, and the job that reads it."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console import env
from console.bases.actions import cancel_job, import_documents, retry_job, start_reading
from console.bases.interchange import note_download
from console.http import STOP_POLLING, is_fragment, refreshes, tell_job_ended
from console.pages.desk import Desk, door
from console.pages.downloads import streamed
from console.pages.forms import BulkStateForm, DocumentForm, FolderForm, StateForm
from console.pages.show.document import document_view, marks_of
from console.pages.show.documents import change_rows, document_card
from console.pages.show.sources import JobView, job_view, refused_view, source_row
from console.pages.show.statements import StatementView, statement_view
from console.pages.state import failed_page, failure_note, unreadable
from console.policy import Permission
from console.wording import plural
from knowledge.failures import Failed, Ok, Outcome
from knowledge.paths import Workspace
from knowledge.provider import UploadFile
from knowledge.records import Job, Page, Source, SourceBrief, SourceText, Statement

PAGE = "pages/sources/list.html"
REGIONS = {"jobs": f"{PAGE}#jobs", "all": f"{PAGE}#all"}
ENDED_JOBS_SHOWN = 1
PAGE_SIZE = 50


@door(get=Permission.READ_KNOWLEDGE, post=Permission.MANAGE_KNOWLEDGE)
def sources(desk: Desk) -> HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Sources"), place="sources")
    if desk.request.method == "POST":
        return _import(desk)
    return _list(desk)


@door(get=Permission.READ_KNOWLEDGE)
def source(desk: Desk, source_id: str) -> HttpResponse:
    return source_page(desk, source_id)


def source_page(
    desk: Desk,
    source_id: str,
    *,
    state_form: StateForm | None = None,
    document_form: DocumentForm | None = None,
    note: object = None,
    status: int = 200,
) -> HttpResponse:
    """The stored text with every excerpt marked, the statements beside it, and the document's life.

    One call, and one more for a text that does not come along.
    """
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Source"), place="sources")
    read = link.provider.source_brief(link.scope, source_id)
    if isinstance(read, Failed):
        return failed_page(desk, gettext("Source"), read, place="sources")
    found = read.value
    context = {
        "source": source_row(found.source, slug),
        "note": note,
        **_life_of(desk, found, state_form, document_form),
        **({} if found.document.state == "deleted" else _content_of(desk, found)),
    }
    return desk.answer("pages/sources/detail.html", context, status=status)


def _content_of(desk: Desk, found: SourceBrief) -> dict[str, object]:
    """What it says, and the way to its original; nothing of either is left of a deleted document."""
    link, slug, source_id = desk.link, desk.require_project().slug, found.source.id
    text = Ok(found.text) if found.text is not None else link.provider.source_text(desk.require_scope(), source_id)
    return {
        "original_url": reverse("source-original", args=[slug, source_id]) if found.source.has_original else "",
        **_text_context(desk, source_id, text, found.statements),
    }


def _life_of(
    desk: Desk, found: SourceBrief, state_form: StateForm | None, document_form: DocumentForm | None
) -> dict[str, object]:
    """The document's state, versions and forms."""
    document = found.document
    card = document_card(document, found.source.id, desk.require_project().slug)
    now = {"band": document.band.value, "authoritative": card.authoritative, "owner": document.owner}
    may = desk.may(Permission.MANAGE_KNOWLEDGE) and document.state != "deleted"
    return {
        "life": card,
        "changed": change_rows(found.changes) if found.changes else (),
        "state_form": (state_form or StateForm(steps=card.steps)) if may and card.steps else None,
        "document_form": (document_form or DocumentForm(initial=now)) if may else None,
    }


@door(get=Permission.READ_KNOWLEDGE)
def source_original(desk: Desk, source_id: str) -> HttpResponseBase:
    """The bytes as they came, always as a download."""
    if not desk.link.readable:
        return unreadable(desk, gettext("Source"), place="sources")
    hand = desk.require_hand(changes=False)
    content = hand.provider.source_content(hand.scope, source_id)
    note_download(hand=hand, target=source_id, outcome=content)
    if isinstance(content, Failed):
        return failed_page(desk, gettext("Source"), content, place="sources")
    return streamed(content.value)


@door(post=Permission.MANAGE_KNOWLEDGE)
def read_again(desk: Desk) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Sources"), place="sources")
    return _after_job(desk, start_reading(hand=desk.require_hand()), gettext("Reading every document again."))


@door(post=Permission.MANAGE_KNOWLEDGE)
def job_cancel(desk: Desk, job_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Sources"), place="sources")
    answer = cancel_job(hand=desk.require_hand(), job_id=job_id)
    return _after_job(desk, answer, gettext("The job stops after its running step. Finished work is kept."))


@door(post=Permission.MANAGE_KNOWLEDGE)
def job_retry(desk: Desk, job_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Sources"), place="sources")
    answer = retry_job(hand=desk.require_hand(), job_id=job_id)
    return _after_job(desk, answer, gettext("The job goes on from its last stored step."))


def _list(desk: Desk, *, note: object = None, status: int = 200) -> HttpResponse:
    link, slug = desk.link, desk.require_project().slug
    jobs = link.provider.jobs(desk.require_scope(), page_size=10)
    listed = _listed(desk)
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Sources"), listed, place="sources")
    shown = _shown_jobs(desk, jobs)
    ended = bool(shown) and all(job.ended for job in shown)
    context = {
        "jobs": shown,
        "polling": bool(shown) and not ended,
        "jobs_failed": failure_note(jobs, gettext("The documents below are stored."))
        if isinstance(jobs, Failed)
        else None,
        "rows": [source_row(each, slug) for each in listed.value.items],
        "total": plural(
            link.counted.source_count if link.counted else len(listed.value.items), "document", "documents"
        ),
        "some_deleted": any(each.processing_status == "deleted" for each in listed.value.items),
        "next_cursor": listed.value.next_cursor,
        "first_page": not desk.request.GET.get("cursor"),
        "report": _report(desk),
        "may_manage": desk.may(Permission.MANAGE_KNOWLEDGE),
        "limits": _limits(desk),
        "bulk_form": BulkStateForm(),
        "folder_form": FolderForm() if workspace().roots else None,
        "note": note,
    }
    stops = refreshes(desk.request, "jobs") and not context["polling"]
    answer = desk.answer(PAGE, context, regions=REGIONS, status=STOP_POLLING if stops else status)
    if stops:
        tell_job_ended(answer)
    return answer


def _listed(desk: Desk) -> Outcome[Page[Source]]:
    """One page of sources; a poll for the job alone asks for none."""
    if refreshes(desk.request, "jobs"):
        return Ok(Page[Source]((), None, 0))
    cursor = desk.request.GET.get("cursor", "")
    return desk.link.provider.sources(desk.require_scope(), cursor=cursor, page_size=PAGE_SIZE)


def _report(desk: Desk) -> dict[str, object] | None:
    """What the last import brought, told once, on the page of its own project."""
    if is_fragment(desk.request):
        return None
    kept: dict[str, object] | None = desk.request.session.pop("import_report", None)
    return kept if kept and kept["project"] == desk.require_project().slug else None


def _import(desk: Desk) -> HttpResponse:
    files = desk.request.FILES.getlist("files")
    if not files:
        note = failure_note_nothing_chosen()
        return _list(desk, note=note, status=422)
    paths = desk.request.POST.getlist("paths")
    answer = import_documents(hand=desk.require_hand(), files=list(_upload_files(files, paths)))
    if isinstance(answer, Failed):
        return _list(desk, note=failure_note(answer, gettext("No document was taken.")), status=503)
    slug = desk.require_project().slug
    taken, refused = answer.value.uploaded.sources, answer.value.uploaded.refused
    desk.request.session["import_report"] = {
        "project": slug,
        "taken": plural(len(taken), "document", "documents"),
        "refused": [asdict(refused_view(each, slug)) for each in refused],
        "copies": [
            {"name": each.name, "twin": reverse("source", args=[slug, each.duplicate_of])}
            for each in taken
            if each.duplicate_of
        ],
        "job_failed": answer.value.job.reason if isinstance(answer.value.job, Failed) else "",
    }
    return redirect("sources", slug)


def failure_note_nothing_chosen() -> object:
    return {
        "tone": "care",
        "icon": "stop",
        "title": gettext("No file was chosen"),
        "sentence": gettext("Nothing was sent."),
        "next_step": gettext("Choose one file or more, then import."),
    }


def _upload_files(files: "list[UploadedFile[Any]]", paths: list[str]) -> Iterator[UploadFile]:
    """Paths match files by index when there are as many of them; else each file's own name is its path."""
    names = paths if len(paths) == len(files) else [file.name or "unnamed" for file in files]
    for file, name in zip(files, names, strict=True):
        if file.file is not None:
            yield UploadFile(path=name.replace("\\", "/").lstrip("/"), content=cast(BinaryIO, file.file))


def _shown_jobs(desk: Desk, jobs: Outcome[Page[Job]]) -> list[JobView]:
    """Every job that runs or waits, and the last one that ended."""
    if isinstance(jobs, Failed):
        return []
    running = [job for job in jobs.value.items if not job.status.ended]
    ended = [job for job in jobs.value.items if job.status.ended][:ENDED_JOBS_SHOWN]
    may_manage = desk.may(Permission.MANAGE_KNOWLEDGE)
    slug = desk.require_project().slug
    return [job_view(job, slug, may_manage=may_manage) for job in (running or ended)]


def _after_job(desk: Desk, answer: Outcome[Job], done: str) -> HttpResponse:
    slug = desk.require_project().slug
    if isinstance(answer, Failed):
        messages.error(desk.request, gettext("{reason} The job is as it was.").format(reason=answer.reason))
    else:
        messages.success(desk.request, done)
    return redirect("sources", slug)


def workspace() -> Workspace:
    """Which folders may be imported by path; none unless the settings name both the workspace and roots inside it."""
    values = env.read()
    root = values.text("knowledge_workspace_dir")
    roots = values.words("knowledge_forager_input_roots")
    return Workspace(Path(root), tuple(Path(each) for each in roots)) if root else Workspace(Path("/nonexistent"))


def _limits(desk: Desk) -> str:
    engine = desk.link.engine
    if engine is None or not engine.max_file_bytes:
        return ""
    told = gettext("Up to {max_file_bytes} MB each, {max_files} at once.").format(
        max_file_bytes=engine.max_file_bytes // (1024 * 1024), max_files=engine.max_files
    )
    if not engine.max_archive_entries:
        return told
    return " ".join((told, gettext("An archive may hold {files:,} files.").format(files=engine.max_archive_entries)))


def _text_context(
    desk: Desk, source_id: str, text: Outcome[SourceText], whole: tuple[Statement, ...]
) -> dict[str, object]:
    """The document and the rail, numbered in the order of the text."""
    if isinstance(text, Failed):
        note = failure_note(text, gettext("The original can still be downloaded."))
        return {"document": None, "text_note": note, "rail": [], "marked": ""}
    evidence = [each for one in whole for each in one.evidence if each.source_id == source_id]
    first = {each.statement_id: each.start for each in sorted(evidence, key=lambda each: -each.start)}
    ordered = sorted(whole, key=lambda one: (first.get(one.id, len(text.value.text)), one.id))
    numbers = {one.id: number for number, one in enumerate(ordered, start=1)}
    contested = frozenset(one.id for one in ordered if one.conflict_ids or one.status == "disputed")
    asked = desk.request.GET
    at = int(asked["at"]) if asked.get("at", "").isdecimal() else 0
    marks = marks_of(evidence, numbers, contested)
    return {
        "document": document_view(text.value, marks, at=at, current=asked.get("e", "")),
        "rail": [_rail_entry(one, numbers[one.id], source_id, desk, asked.get("e", "")) for one in ordered],
        "marked": plural(len(marks), "excerpt", "excerpts"),
    }


def _rail_entry(one: Statement, number: int, source_id: str, desk: Desk, current: str) -> dict[str, object]:
    view: StatementView = statement_view(one, desk.require_project().slug)
    here = [each for each in one.evidence if each.source_id == source_id]
    return {
        "number": number,
        "statement": view,
        "anchor": f"e-{here[0].id}" if here else "",
        "url": next((shown.url for shown in view.evidence if here and shown.id == here[0].id), view.url),
        "current": any(each.id == current for each in here),
    }
