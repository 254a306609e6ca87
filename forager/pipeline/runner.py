"""Runs one job: every source through the five document stages, then the base through the other six.

A document is read outside of any transaction and written in one unit with its counters and a checkpoint a stage; a
restart goes on from the last commit. Quick documents come first and are published before slow ones are waited for.
"""

from collections.abc import Iterator, Sequence

import structlog
from django.db import DatabaseError, InterfaceError
from django.db.models import F, Q, QuerySet

from forager.model import storage
from forager.model.blobs import Blob
from forager.model.documents import PACKED
from forager.model.models import Checkpoint, Job, JobStage, KnowledgeBase, Source
from forager.pipeline import base_stages, document_stages, lease, packed, readers, vocabularies
from forager.pipeline.commit import unit_of_work
from forager.pipeline.document_stages import Written
from forager.pipeline.lanes import Lanes
from forager.pipeline.stages import BASE_STAGES, DOCUMENT_STAGES, PIPELINE_VERSION, READ_AGAIN, checkpoint_digest
from forager.reading.messages import Refusal, Request
from forager.reading.reader import Read

log = structlog.get_logger("forager.runner")
BATCH = 50
MAX_TRIES = 5
ENDED_THE_WORKER = Refusal(
    "ended_the_worker",
    f"Reading or storing this ended the worker {MAX_TRIES} times. The document is set aside.",
    "Open it, save it again and load that; tell who keeps the engine.",
    harmful=True,
)


class StoreTrouble(Exception):
    """The store cannot be written now. The job is as it last committed and goes on from there when it can."""


def run(job: Job) -> None:
    """Takes a claimed job to an end: completed, failed or cancelled. A lost lease leaves it to its new holder.

    A full disk, a read-only or a busy store end nothing: ``StoreTrouble`` asks to run it again later.
    """
    try:
        _run(job)
    except (OSError, DatabaseError, InterfaceError) as error:
        if what := storage.trouble(error):
            raise StoreTrouble(what) from error
        raise


def _run(job: Job) -> None:
    try:
        if job.fruitless > lease.MAX_ATTEMPTS:
            lease.finish(job, "failed", _error(job, "too_many_attempts", "The job ended its worker too many times."))
            return
        _Run(job).go()
        lease.finish(job, "completed")
    except lease.LeaseLost:
        log.warning("lease_lost", job=job.pk)
    except lease.Cancelled:
        lease.finish(job, "cancelled")
    except Exception as error:
        if storage.trouble(error):
            raise
        log.exception("job_failed", job=job.pk)
        lease.finish(job, "failed", _error(job, "internal_error", f"The engine failed here: {type(error).__name__}."))


def _error(job: Job, code: str, message: str) -> dict[str, str]:
    stage = Job.objects.values_list("current_stage", flat=True).get(pk=job.pk)
    return {"code": code, "message": message, "stage": stage}


class _Run:
    def __init__(self, job: Job) -> None:
        self.job = job
        self.lanes = Lanes(readers.own(), self._upcoming, pulse=lambda: lease.hold(job))
        self._batch: Iterator[Source] = iter(())

    def go(self) -> None:
        self._plan()
        try:
            while self._round():
                pass
        finally:
            self.lanes.close()
        self._base_units()

    def _round(self) -> bool:
        """The quick documents, and when slow ones are left, those too. Answers whether these may have brought more."""
        for source, read in self.lanes.quick_ones():
            self._write(source, read)
        if not self.lanes.in_hand:
            return False
        self._base_units()
        for source, read in self.lanes.slow_ones():
            self._write(source, read)
        return True

    def _unread(self) -> QuerySet[Source]:
        """New sources, and those last read by another version of the rules."""
        return Source.objects.filter(base=self.job.base_id).exclude(
            Q(pipeline_version=PIPELINE_VERSION) | Q(processing_status="deleted")
        )

    def _plan(self) -> None:
        """Counts the work once, and again after a restart: what this job already did stays counted, once."""
        with unit_of_work():
            lease.hold(self.job, stage=document_stages.PARSING)
            if self.job.force and self.job.attempts == 1:
                Checkpoint.objects.filter(source__base=self.job.base_id).delete()
                read = Source.objects.filter(base=self.job.base_id).exclude(pipeline_version="")
                read.update(pipeline_version=READ_AGAIN)
            if not self._done_here().exists():
                vocabularies.adopt(self.job.base_id)
            total = self._done_here().values("source_id").distinct().count()
            total += self._unread().exclude(pk__in=self._done_here().values("source_id")).count()
            for row in JobStage.objects.filter(job=self.job):
                mine = self._done_here().filter(stage=row.stage)
                row.total = total if row.stage in DOCUMENT_STAGES else 1
                row.processed = mine.filter(outcome="done").count()
                row.failed = mine.filter(outcome="failed").count()
                row.skipped = 0
                row.status = "running" if row.stage in DOCUMENT_STAGES else "waiting"
                row.save()

    def _done_here(self) -> QuerySet[Checkpoint]:
        return Checkpoint.objects.filter(job_id=self.job.pk)

    def _upcoming(self) -> tuple[Source, Request] | None:
        """The next source that needs its bytes read; what needs none is settled on the way."""
        while (source := self._next_source()) is not None:
            known = {c.stage: c for c in source.checkpoints.all()}
            if known and not source.pipeline_version:
                source.pipeline_version = READ_AGAIN
            standing = [s for s in DOCUMENT_STAGES if s in known and known[s].digest == checkpoint_digest(s, source)]
            if len(standing) == len(DOCUMENT_STAGES):
                self._skip(source, [known[s] for s in standing])
            elif self.job.fruitless > 1 and source.tries >= MAX_TRIES:
                self._write(source, Read(refusal=ENDED_THE_WORKER))
            elif source.origin_kind == PACKED:
                self._write(source, packed.read(source.blob))
            else:
                parsed = all(s in standing and known[s].outcome == "done" for s in DOCUMENT_STAGES[:4])
                parsed_before = parsed and hasattr(source, "stored")
                return source, document_stages.request_for(source, parsed_before=parsed_before)
        return None

    def _next_source(self) -> Source | None:
        """Small ones first: whoever waits for many small files does not wait for the large one among them."""
        found = next(self._batch, None)
        if found is None:
            rows = self._unread().exclude(pk__in=self.lanes.in_hand)
            related = rows.select_related("document", "base", "parent").prefetch_related("checkpoints")
            self._batch = iter(related.order_by("size_bytes", "path", "id")[:BATCH])
            found = next(self._batch, None)
        return found

    def _mark(self, source: Source) -> None:
        """After a hard end each document is marked before it is taken over from its reader, where alone it can harm the
        worker; so one that ends every worker is found, and ends from elsewhere are hardly ever held against one."""
        with unit_of_work():
            lease.hold(self.job)
            Source.objects.filter(pk=source.pk).update(tries=F("tries") + 1)

    def _skip(self, source: Source, standing: Sequence[Checkpoint]) -> None:
        with unit_of_work():
            lease.hold(self.job)
            for checkpoint in standing:
                if checkpoint.job_id != self.job.pk:
                    self._count([checkpoint.stage], "skipped")
            Source.objects.filter(pk=source.pk).update(pipeline_version=PIPELINE_VERSION)

    def _write(self, source: Source, read: Read[Blob]) -> None:
        if self.job.fruitless > 1:
            self._mark(source)
        with unit_of_work():
            lease.hold(self.job)
            source.base = KnowledgeBase.locked(source.base_id)  # a revision may have been published since it was read
            if Source.objects.filter(pk=source.pk, processing_status="deleted").exists():
                return
            written = document_stages.write(source, read)
            source.pipeline_version, source.tries = PIPELINE_VERSION, 0
            source.save()
            self._checkpoint(source, written)
            lease.progressed(self.job)
            if written.children:
                JobStage.objects.filter(job=self.job, stage__in=DOCUMENT_STAGES).update(
                    total=F("total") + written.children
                )
        if written.refusal is not None and written.refusal.harmful:
            log.warning("document_quarantined", job=self.job.pk, source=source.pk, code=written.refusal.code)

    def _checkpoint(self, source: Source, written: Written) -> None:
        """One row a stage; the stage that failed and those behind it count as failed."""
        at = DOCUMENT_STAGES.index(written.failed_at) if written.failed_at else len(DOCUMENT_STAGES)
        rows = [
            Checkpoint(
                source=source,
                stage=stage,
                digest=checkpoint_digest(stage, source),
                outcome="done" if position < at else "failed",
                job_id=self.job.pk,
            )
            for position, stage in enumerate(DOCUMENT_STAGES)
        ]
        Checkpoint.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["source", "stage"],
            update_fields=["digest", "outcome", "job_id"],
        )
        self._count(DOCUMENT_STAGES[:at], "processed")
        self._count(DOCUMENT_STAGES[at:], "failed")
        if written.refusal is not None:
            self._warn(written.failed_at, source, written.refusal)

    def _warn(self, stage: str, source: Source, refusal: Refusal) -> None:
        row = JobStage.objects.get(job=self.job, stage=stage)
        row.warnings.append(
            {
                "code": refusal.code,
                "message": refusal.message,
                "locator": source.path,
                "next_action": refusal.next_action,
            }
        )
        row.save(update_fields=["warnings"])

    def _count(self, stages: Sequence[str], what: str) -> None:
        if stages:
            JobStage.objects.filter(job=self.job, stage__in=stages).update(**{what: F(what) + 1})

    def _base_units(self) -> None:
        """A second round, for slow documents, counts as more of the same stages."""
        with unit_of_work():
            lease.hold(self.job)
            open_ones = len(self.lanes.in_hand)
            if not open_ones:
                JobStage.objects.filter(job=self.job, stage__in=DOCUMENT_STAGES).update(status="done")
            for row in JobStage.objects.filter(job=self.job, stage__in=BASE_STAGES):
                row.total = row.processed + (2 if open_ones else 1)
                row.save(update_fields=["total"])
        base_stages.before(self.job)
        for stage in BASE_STAGES:
            self._base_unit(stage)

    def _base_unit(self, stage: str) -> None:
        look = base_stages.LOOKING.get(stage)
        rows = JobStage.objects.filter(job=self.job, stage=stage)
        with unit_of_work():
            lease.hold(self.job, stage=stage)
            rows.update(status="running")
        seen = (look(self.job),) if look else ()
        with unit_of_work():
            lease.hold(self.job)
            warnings = base_stages.STAGES[stage](self.job, *seen)
            status = "done" if not self.lanes.in_hand else "running"
            rows.update(status=status, processed=F("processed") + 1, warnings=list(warnings))
            lease.progressed(self.job)
