"""What the console keeps about the engine: settings written here, whom it knows, and the process it runs."""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

HEARTBEAT_STALE = timedelta(seconds=45)


class StoredSetting(models.Model):
    """A setting written from the Connection page. Secrets are encrypted at rest."""

    name = models.CharField(max_length=80, primary_key=True)
    value = models.TextField()
    written_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name


class KnownEngine(models.Model):
    """The engine this console pinned on first contact; another one answering is refused until a person confirms."""

    instance_id = models.CharField(max_length=80)
    generation = models.CharField(max_length=80)
    pinned_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.instance_id} {self.generation}"


class EngineWish(models.Model):
    """What people want of the managed engine; its one supervisor reads this and acts. One row, or none: let it run.

    ``restarts`` counts how often a fresh start was asked for, so that one that was acted on is not acted on again.
    """

    is_stopped = models.BooleanField(default=False)
    restarts = models.PositiveIntegerField(default=0)
    by = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return "stop" if self.is_stopped else "run"


class EngineProcess(models.Model):
    """The managed engine as its supervisor last wrote it. One row."""

    class Phase(models.TextChoices):
        STARTING = "starting"
        RUNNING = "running"
        WAITING = "waiting"
        STOPPING = "stopping"
        FAILED = "failed"
        STOPPED = "stopped"

    phase = models.CharField(max_length=20, choices=Phase.choices, default=Phase.STOPPED)
    pid = models.PositiveIntegerField(null=True)
    port = models.PositiveIntegerField(null=True)
    restarts = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural: ClassVar = "engine processes"

    def __str__(self) -> str:
        return f"{self.phase} {self.pid or ''}".strip()

    @property
    def watched(self) -> bool:
        """Whether a supervisor still writes this row."""
        return self.heartbeat_at is not None and timezone.now() - self.heartbeat_at < HEARTBEAT_STALE
