"""Sources, jobs and the report of an import as a page shows them."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.labels import Tag, job_tag, source_tag, source_type
from console.pages.show.text import short_digest, visible_line
from console.pages.show.times import Moment, day, moment, size
from console.wording import gettext_lazy as _
from console.wording import plural
from knowledge.records import Job, Refused, Source, Stage
from knowledge.records import Warning as SourceWarning
from knowledge.vocabulary import JobStatus

STAGE_WORDS = {
    "source_registration": _("Registration"),
    "parsing_extraction": _("Parsing"),
    "normalization": _("Normalising"),
    "chunking": _("Chunking"),
    "semantic_extraction": _("Statements"),
    "entity_resolution": _("Entities"),
    "dedup_conflict": _("Conflicts"),
    "provenance": _("Provenance"),
    "validation": _("Validation"),
    "indexing": _("Indexing"),
    "export_availability": _("Export"),
}
_STAGE_STATES = {"done": "done", "completed": "done", "running": "running", "skipped": "skipped", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class WarningView:
    message: str
    place: str
    next_action: str


@dataclass(frozen=True, slots=True)
class SourceRow:
    id: str
    document_id: str
    name: str
    folder: str
    url: str
    kind: str
    state: Tag
    date: str
    date_from: str
    statements: str
    size: str
    warnings: tuple[WarningView, ...]
    marks: tuple[Tag, ...]
    read: str
    silent: tuple[tuple[str, str], ...]
    twin_url: str
    verified: Moment
    digest: str
    registered: Moment


@dataclass(frozen=True, slots=True)
class StageView:
    name: str
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class JobView:
    id: str
    title: str
    tag: Tag
    ended: bool
    queued: str
    stalled: str
    units_done: str
    units_total: str
    value: int
    maximum: int
    stages: tuple[StageView, ...]
    warnings: tuple[WarningView, ...]
    error: str
    error_stage: str
    started: Moment
    queued_at: Moment
    finished: Moment
    cancel_url: str
    retry_url: str

    @property
    def announcement(self) -> str:
        """What a reader hears when it changes: the state and the running stage, never every count."""
        stage = next((each.name for each in self.stages if each.state == "running"), "")
        return f"{self.title}: {self.tag.words}{', ' + stage if stage else ''}"


@dataclass(frozen=True, slots=True)
class RefusedView:
    path: str
    message: str
    twin_url: str


def source_row(source: Source, slug: str) -> SourceRow:
    folder = source.path.rpartition("/")[0] if source.path != source.name else ""
    return SourceRow(
        id=source.id,
        document_id=source.document_id,
        name=visible_line(source.name or source.path),
        folder=visible_line(folder),
        url=reverse("source", args=[slug, source.id]),
        kind=source_type(source.type),
        state=source_tag(source.state, source.processing_status),
        date=day(source.document_date),
        date_from=visible_line(source.document_date_from.replace("_", " ")),
        statements=f"{source.statement_count:,}",
        size=size(source.size_bytes),
        warnings=tuple(warning_view(each) for each in source.warnings),
        marks=_marks(source),
        read=_read(source),
        silent=tuple((visible_line(place), visible_line(why)) for place, why in source.ledger.silent),
        twin_url=reverse("source", args=[slug, source.duplicate_of]) if source.duplicate_of else "",
        verified=moment(source.last_verified_at),
        digest=short_digest(source.content_hash),
        registered=moment(source.registered_at),
    )


def job_view(job: Job, slug: str, *, may_manage: bool) -> JobView:
    processed = sum(stage.processed + stage.skipped + stage.failed for stage in job.stages)
    total = sum(stage.total for stage in job.stages)
    ended = job.status.ended
    retry = job.status in (JobStatus.FAILED, JobStatus.CANCELLED)
    return JobView(
        id=job.id,
        title=_job_title(job),
        tag=job_tag(job.status, cancel_requested=job.cancel_requested, unread=job.unread),
        ended=ended,
        queued=gettext("Starts when {queued_behind} ends. It is queued, not stuck.").format(
            queued_behind=job.queued_behind
        )
        if job.queued_behind
        else "",
        stalled=_stalled(job),
        units_done=f"{processed:,}",
        units_total=f"{total:,}",
        value=processed,
        maximum=max(total, 1),
        stages=tuple(_stage(each) for each in job.stages),
        warnings=tuple(warning_view(warning) for stage in job.stages for warning in stage.warnings),
        error=visible_line(job.error_message),
        error_stage=STAGE_WORDS.get(job.error_stage, job.error_stage),
        started=moment(job.started_at),
        queued_at=moment(job.queued_at),
        finished=moment(job.finished_at),
        cancel_url=reverse("job-cancel", args=[slug, job.id])
        if may_manage and not ended and not job.cancel_requested
        else "",
        retry_url=reverse("job-retry", args=[slug, job.id]) if may_manage and retry else "",
    )


def _stalled(job: Job) -> str:
    """Stuck is told apart from waiting, with what to do."""
    if not job.is_stalled:
        return ""
    if job.status is JobStatus.QUEUED:
        return gettext("It waits, but no worker takes it. Start the engine's worker; nothing is lost.")
    since = moment(job.last_progress_at).words if job.last_progress_at else gettext("some time ago")
    return gettext(
        "Its worker is gone; it last moved {since}. The next worker goes on from its last stored step."
    ).format(since=since)


def refused_view(refused: Refused, slug: str) -> RefusedView:
    twin = reverse("source", args=[slug, refused.twin_id]) if refused.twin_id else ""
    return RefusedView(visible_line(refused.path), visible_line(refused.message), twin)


def warning_view(warning: SourceWarning) -> WarningView:
    return WarningView(visible_line(warning.message), visible_line(warning.locator), visible_line(warning.next_action))


def _marks(source: Source) -> tuple[Tag, ...]:
    marks = []
    if source.duplicate_of:
        marks.append(Tag("superseded", "copy", gettext("Copy, adds no origin")))
    if source.superseded_by:
        marks.append(Tag("superseded", "bent", gettext("Older version")))
    if source.authoritative:
        marks.append(Tag("approved", "tick", gettext("Authoritative")))
    return tuple(marks)


def _read(source: Source) -> str:
    """``12 of 14 paragraphs read, 2 skipped``; empty when nothing was counted."""
    ledger = source.ledger
    if not ledger.units:
        return ""
    words = gettext("{read:,} of {count}").format(read=ledger.read, count=_units(ledger.units, ledger.unit.rstrip("s")))
    return (
        gettext("{words}, {skipped:,} skipped").format(words=words, skipped=ledger.skipped) if ledger.skipped else words
    )


def _units(number: int, unit: str) -> str:
    """What documents of each kind are counted in."""
    return {
        "block": plural(number, "block", "blocks"),
        "file": plural(number, "file", "files"),
        "line": plural(number, "line", "lines"),
        "message": plural(number, "message", "messages"),
        "page": plural(number, "page", "pages"),
        "paragraph": plural(number, "paragraph", "paragraphs"),
        "record": plural(number, "record", "records"),
        "row": plural(number, "row", "rows"),
        "slide": plural(number, "slide", "slides"),
        "unit": plural(number, "unit", "units"),
    }.get(unit) or plural(number, "part", "parts")


def _job_title(job: Job) -> str:
    documents = max((stage.total for stage in job.stages[:1]), default=0)
    if job.status is JobStatus.COMPLETED and job.unread:
        every = plural(documents, "document", "documents")
        return gettext("Read {number:,} of {every}").format(number=documents - job.unread, every=every)
    verb = {
        JobStatus.COMPLETED: gettext("Read"),
        JobStatus.FAILED: gettext("Reading stopped at"),
        JobStatus.CANCELLED: gettext("Reading was cancelled for"),
        JobStatus.QUEUED: gettext("Will read"),
    }.get(job.status, gettext("Reading"))
    return (
        f"{verb} {plural(documents, 'document', 'documents')}"
        if documents
        else gettext("{verb} the documents").format(verb=verb)
    )


def _stage(stage: Stage) -> StageView:
    state = _STAGE_STATES.get(stage.status, "waiting")
    if state == "done" and stage.failed and not stage.processed + stage.skipped:
        state = "failed"
    name = STAGE_WORDS.get(stage.name.lower(), stage.name.replace("_", " ").capitalize())
    return StageView(name, state, _stage_words(stage, state))


def _stage_words(stage: Stage, state: str) -> str:
    if state == "waiting":
        return gettext("waits")
    if state == "skipped":
        return gettext("nothing to do")
    done = stage.processed + stage.skipped
    words = (
        gettext("{done:,} of {total:,}").format(done=done, total=stage.total)
        if stage.total
        else (gettext("done") if state == "done" else gettext("running"))
    )
    return gettext("{words}, {failed} failed").format(words=words, failed=stage.failed) if stage.failed else words
