"""Runs one job: every source through the five document stages, then the base through the other six.

Each unit commits its work, its counter and its checkpoint together; a restart goes on from the last commit. A document
is read before its unit opens, so that however long it takes, nobody waits for the store.
"""

from collections.abc import Callable, Sequence

import structlog
from django.db import Error as DatabaseFailure
from django.db.models import F, Q, QuerySet

from forager.model.models import Checkpoint, Job, JobStage, Source
from forager.parsing.document import UnreadableDocumentError
from forager.pipeline import base_stages, document_stages, lease, vocabularies
from forager.pipeline.commit import unit_of_work
from forager.pipeline.patience import TookTooLong, at_most, seconds_for
from forager.pipeline.stages import BASE_STAGES, DOCUMENT_STAGES, PIPELINE_VERSION, checkpoint_digest

log = structlog.get_logger("forager.runner")


def run(job: Job) -> None:
    """Takes a claimed job to an end: completed, failed or cancelled. A lost lease leaves it to its new holder."""
    try:
        if job.attempts > lease.MAX_ATTEMPTS:
            lease.finish(job, "failed", _error(job, "too_many_attempts", "The job ended its worker too many times."))
            return
        _Run(job).go()
        lease.finish(job, "completed")
    except lease.LeaseLost:
        log.warning("lease_lost", job=job.pk)
    except lease.Cancelled:
        lease.finish(job, "cancelled")
    except Exception as error:
        log.exception("job_failed", job=job.pk)
        lease.finish(job, "failed", _error(job, "internal_error", f"The engine failed here: {type(error).__name__}."))


def _error(job: Job, code: str, message: str) -> dict[str, str]:
    stage = Job.objects.values_list("current_stage", flat=True).get(pk=job.pk)
    return {"code": code, "message": message, "stage": stage}


class _Run:
    def __init__(self, job: Job) -> None:
        self.job = job

    def go(self) -> None:
        self._plan()
        while source := self._next_source():
            self._read(source)
        for stage in BASE_STAGES:
            self._base_unit(stage)

    def _unread(self) -> QuerySet[Source]:
        """New sources, and those last read by another version of the rules."""
        return Source.objects.filter(base=self.job.base_id).exclude(
            Q(pipeline_version=PIPELINE_VERSION) | Q(processing_status="deleted")
        )

    def _plan(self) -> None:
        """Counts the work once, and again after a restart: what this job already did stays counted, once."""
        with unit_of_work():
            lease.hold(self.job)
            if self.job.force and self.job.attempts == 1:
                Checkpoint.objects.filter(source__base=self.job.base_id).delete()
                Source.objects.filter(base=self.job.base_id).update(pipeline_version="")
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
                row.status = "waiting"
                row.save()

    def _done_here(self) -> QuerySet[Checkpoint]:
        return Checkpoint.objects.filter(job_id=self.job.pk)

    def _next_source(self) -> Source | None:
        return self._unread().select_related("document", "base").order_by("path", "id").first()

    def _read(self, source: Source) -> None:
        failed = False
        for stage in DOCUMENT_STAGES:
            failed = self._document_unit(stage, source, failed=failed)
        with unit_of_work():
            lease.hold(self.job)
            Source.objects.filter(pk=source.pk).update(pipeline_version=PIPELINE_VERSION)

    def _document_unit(self, stage: str, source: Source, *, failed: bool) -> bool:
        """One stage of one source. Answers whether the source has failed."""
        digest = checkpoint_digest(stage, source)
        known = Checkpoint.objects.filter(source=source, stage=stage, digest=digest).first()
        if known is not None:
            if known.job_id != self.job.pk:
                with unit_of_work():
                    lease.hold(self.job)
                    self._count(stage, "skipped")
            return known.outcome == "failed"
        read = None if failed else self._attempt(stage, source)
        with unit_of_work():
            lease.hold(self.job)
            if isinstance(read, UnreadableDocumentError):
                document_stages.set_aside(source, read)
                self._warn(stage, source, read)
            elif read is not None:
                read()
            failed = read is None or isinstance(read, UnreadableDocumentError)
            self._count(stage, "failed" if failed else "processed")
            outcome = "failed" if failed else "done"
            Checkpoint.objects.update_or_create(
                source=source, stage=stage, defaults={"digest": digest, "outcome": outcome, "job_id": self.job.pk}
            )
        return failed

    def _attempt(self, stage: str, source: Source) -> document_stages.Write | UnreadableDocumentError:
        """What the stage found, not yet written. A document our rules trip over is set aside; it stops no other."""
        try:
            with at_most(seconds_for(source.size_bytes)):
                return document_stages.STAGES[stage](source)
        except UnreadableDocumentError as error:
            return error
        except TookTooLong as error:
            return UnreadableDocumentError("took_too_long", str(error), "Split it into smaller documents.")
        except (DatabaseFailure, OSError):
            raise
        except Exception as error:
            log.exception("document_failed", job=self.job.pk, source=source.pk, stage=stage)
            message = f"The engine failed on this document: {type(error).__name__}. The others are read."
            return UnreadableDocumentError("failed_inside", message, "Tell who keeps the engine; its log says where.")

    def _warn(self, stage: str, source: Source, error: UnreadableDocumentError) -> None:
        row = JobStage.objects.get(job=self.job, stage=stage)
        row.warnings.append(
            {"code": error.code, "message": error.message, "locator": source.path, "next_action": error.next_action}
        )
        row.save(update_fields=["warnings"])

    def _base_unit(self, stage: str) -> None:
        with unit_of_work():
            lease.hold(self.job)
            Job.objects.filter(pk=self.job.pk).update(current_stage=stage)
            JobStage.objects.filter(job=self.job, stage__in=DOCUMENT_STAGES).update(status="done")
            JobStage.objects.filter(job=self.job, stage=stage).update(status="running")
        step: Callable[[Job], Sequence[dict[str, str]]] = base_stages.STAGES[stage]
        with unit_of_work():
            lease.hold(self.job)
            warnings = step(self.job)
            JobStage.objects.filter(job=self.job, stage=stage).update(
                status="done", processed=1, warnings=list(warnings)
            )

    def _count(self, stage: str, what: str) -> None:
        Job.objects.filter(pk=self.job.pk).update(current_stage=stage)
        rows = JobStage.objects.filter(job=self.job, stage=stage)
        rows.update(status="running", **{what: F(what) + 1})
        rows.filter(total__lt=F("processed") + F("failed") + F("skipped")).update(
            total=F("processed") + F("failed") + F("skipped")
        )
