"""Jobs: started, followed from stored rows, cancelled, retried."""

from collections.abc import Sequence

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, NotFound
from forager.api.paging import paginate
from forager.api.times import rfc3339, rfc3339_or_none
from forager.model.models import Job, JobStage
from forager.pipeline import lease

ENDED = ("completed", "failed", "cancelled")


@endpoint(
    "POST",
    "/projects/<base>/process",
    Scope.INGEST,
    body=shapes.ProcessRequest,
    answer=shapes.Job,
    status=202,
    errors=(409,),
)
def process(call: Call[None, shapes.ProcessRequest], base: str) -> shapes.Job:
    """Reads what is new in the base; while a job runs, one successor waits for it and is answered."""
    return shape(lease.enqueue(call.open_base(base), force=call.body.get("force", False)))


@endpoint("GET", "/projects/<base>/jobs", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_jobs(call: Call[shapes.ListQuery, None], base: str) -> shapes.Page:
    """The jobs of a base, newest first."""
    row = call.base(base)
    return paginate(
        Job.objects.filter(base=row).prefetch_related("stages"),
        ("-queued_at", "-id"),
        lambda found: [shape(j) for j in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


@endpoint("GET", "/jobs/<job>", Scope.READ, answer=shapes.Job)
def get_job(call: Call[None, None], job: str) -> shapes.Job:
    """One job with its eleven stages, from stored rows."""
    return shape(_job(call, job))


@endpoint("POST", "/jobs/<job>/cancel", Scope.INGEST, answer=shapes.Job)
def cancel_job(call: Call[None, None], job: str) -> shapes.Job:
    """Stops at the next unit and keeps finished work. A job that ended stays as it is."""
    row = _job(call, job)
    lease.cancel(row)
    return shape(_job(call, job))


@endpoint("POST", "/jobs/<job>/retry", Scope.INGEST, answer=shapes.Job, status=202, errors=(409,))
def retry_job(call: Call[None, None], job: str) -> shapes.Job:
    """A new job that goes on from the last checkpoint of one that failed or was cancelled."""
    row = _job(call, job)
    if row.status not in ("failed", "cancelled"):
        raise Conflicting("Only a failed or cancelled job can be retried.")
    return shape(lease.enqueue(row.base, force=False))


def _job(call: Call[None, None], job: str) -> Job:
    row = Job.objects.filter(pk=job).prefetch_related("stages").first()
    if row is None:
        raise NotFound
    call.fence(row.base_id)
    return row


def shape(job: Job) -> shapes.Job:
    stages = list(job.stages.all())
    return {
        "id": job.pk,
        "project_id": job.base_id,
        "kind": job.kind,
        "status": job.status,
        "queued_behind": _queued_behind(job),
        "stalled": lease.is_stalled(job),
        "last_progress_at": rfc3339_or_none(lease.last_progress(job)),
        "current_stage": job.current_stage,
        "progress": 1.0 if job.status == "completed" else _progress(stages),
        "cancel_requested": job.cancel_requested,
        "error": job.error,
        "stages": [_stage(s) for s in stages],
        "attempts": job.attempts,
        "queued_at": rfc3339(job.queued_at),
        "started_at": rfc3339_or_none(job.started_at),
        "finished_at": rfc3339_or_none(job.finished_at),
    }


def _queued_behind(job: Job) -> str | None:
    if job.status != "queued":
        return None
    return Job.objects.filter(base=job.base_id, status="running").values_list("pk", flat=True).first()


def _progress(stages: Sequence[JobStage]) -> float:
    """Counted units over planned units, both as stored."""
    total = sum(s.total for s in stages)
    done = sum(s.processed + s.failed + s.skipped for s in stages)
    return round(done / total, 4) if total else 0.0


def _stage(row: JobStage) -> shapes.Stage:
    return {
        "stage": row.stage,
        "status": row.status,
        "total": row.total,
        "processed": row.processed,
        "failed": row.failed,
        "skipped": row.skipped,
        "warnings": row.warnings,
    }
