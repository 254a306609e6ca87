"""Who works on what: a job is held by lease and fence, so a worker that lost it can write nothing more."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from forager.model import dialect, liveness
from forager.model.ids import random_id
from forager.model.models import Job, JobStage, KnowledgeBase, Source
from forager.pipeline.stages import STAGES

# Longer than any unit takes. A holder that died on this host is found out at once, not by its lease.
LEASE = timedelta(minutes=6)
NOBODY_CAME = timedelta(minutes=1)
MAX_ATTEMPTS = 20
LIVE = ("queued", "running")


class LeaseLost(Exception):
    """Another worker has the job now; everything uncommitted is rolled back."""


class Cancelled(Exception):
    """A person asked to stop; finished units stay."""


def enqueue(base: KnowledgeBase, *, force: bool) -> Job:
    """A job over the base. While one runs, all further requests share one successor; a waiting one is answered."""
    with transaction.atomic():
        dialect.alone(f"queue of {base.pk}")
        waiting = Job.objects.filter(base=base, status="queued").first()
        if waiting is not None:
            if force and not waiting.force:
                waiting.force = True
                waiting.save(update_fields=["force"])
            return waiting
        job = Job.objects.create(id=random_id("job"), base=base, force=force, queued_at=timezone.now())
        JobStage.objects.bulk_create(JobStage(job=job, position=at, stage=name) for at, name in enumerate(STAGES))
    return job


def claim() -> Job | None:
    """The next job nobody holds, now ours; None when there is nothing to do."""
    with transaction.atomic():
        now = timezone.now()
        for head in _heads():
            job = _locked(head)
            if job is None:
                continue
            job.status, job.lease_owner, job.lease_until = "running", liveness.own_mark(), now + LEASE
            job.fence += 1
            job.attempts += 1
            job.fruitless += 1
            job.started_at = job.started_at or now
            job.save()
            return job
    return None


def _heads() -> Iterator[Job]:
    """Of each base the job that is next or under way, unless it is in hand."""
    busy: set[str] = set()
    for job in Job.objects.filter(status__in=LIVE).order_by("queued_at", "id"):
        if job.base_id not in busy and (job.status != "running" or _is_over(job)):
            yield job
        busy.add(job.base_id)


def _locked(head: Job) -> Job | None:
    """The row, ours until the end of the transaction; None when another has it or it moved since it was read."""
    mine = Job.objects.select_for_update(skip_locked=True).filter(pk=head.pk, fence=head.fence, status=head.status)
    return mine.first()


def hold(job: Job, *, stage: str = "") -> None:
    """Inside a unit's transaction: extends the lease, or raises when it is no longer ours or is to stop."""
    mine = Job.objects.filter(pk=job.pk, fence=job.fence, status="running")
    now: dict[str, Any] = {"lease_until": timezone.now() + LEASE} | ({"current_stage": stage} if stage else {})
    if mine.filter(cancel_requested=False).update(**now):
        return
    raise Cancelled if mine.exists() else LeaseLost


def finish(job: Job, status: str, error: dict[str, str] | None = None) -> None:
    Job.objects.filter(pk=job.pk, fence=job.fence).update(
        status=status, error=error, finished_at=timezone.now(), lease_owner="", lease_until=None
    )


def progressed(job: Job) -> None:
    """Inside a unit that finished work: hard ends before it say nothing about what comes now."""
    if job.fruitless > 1:
        Job.objects.filter(pk=job.pk).update(fruitless=1)
        Source.objects.filter(base=job.base_id, tries__gt=0).update(tries=0)
        job.fruitless = 1


def last_progress(job: Job) -> datetime | None:
    """When its worker last held it; for one that waits or ended, None."""
    return job.lease_until - LEASE if job.status == "running" and job.lease_until is not None else None


def is_stalled(job: Job) -> bool:
    """Running without a worker, or waiting though nothing runs and nobody comes. Waiting behind another is not this."""
    if job.status == "running":
        return _is_over(job)
    if job.status != "queued" or timezone.now() - job.queued_at < NOBODY_CAME:
        return False
    return all(_is_over(other) for other in Job.objects.filter(status="running"))


def cancel(job: Job) -> None:
    """A waiting job ends now; a running one at its next unit."""
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=job.pk)
        Job.objects.filter(pk=job.pk, status="running").update(cancel_requested=True)
        Job.objects.filter(pk=job.pk, status="queued").update(
            status="cancelled", cancel_requested=True, finished_at=timezone.now()
        )


def _is_over(job: Job) -> bool:
    expired = job.lease_until is None or job.lease_until < timezone.now()
    return expired or liveness.is_gone(job.lease_owner)
