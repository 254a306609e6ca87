from django.db import models

from forager.model.bases import KnowledgeBase
from forager.model.documents import Source


class Job(models.Model):
    """One run over a base. A worker holds it by lease; ``fence`` grows with each claim, so a late one cannot write."""

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=20, default="process")
    force = models.BooleanField(default=False)
    status = models.CharField(max_length=20, default="queued")
    current_stage = models.CharField(max_length=40, blank=True)
    cancel_requested = models.BooleanField(default=False)
    error = models.JSONField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    fruitless = models.PositiveIntegerField(default=0, help_text="attempts since its last finished unit")
    lease_owner = models.CharField(max_length=300, blank=True, help_text="the worker's process mark")
    lease_until = models.DateTimeField(null=True)
    fence = models.PositiveIntegerField(default=0)
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["status", "queued_at"]), models.Index(fields=["base", "queued_at"])]


class JobStage(models.Model):
    """One of the eleven stages of a job. Counters commit with the work they count."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="stages")
    position = models.PositiveSmallIntegerField()
    stage = models.CharField(max_length=40)
    status = models.CharField(max_length=20, default="waiting")
    total = models.PositiveIntegerField(default=0)
    processed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    warnings = models.JSONField(default=list)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["job", "stage"], name="stage_once_a_job")]


class Checkpoint(models.Model):
    """A finished unit: this stage of this source, for exactly these bytes and versions."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="checkpoints")
    stage = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    outcome = models.CharField(max_length=10, help_text="done or failed")
    job_id = models.CharField(max_length=40, help_text="the job that did it, so that a resumed one counts it once")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "stage"], name="checkpoint_once")]
