"""A backup as a row: wanted by a person or a command, made by one process, then a file until it is let go."""

from datetime import timedelta
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

SILENT_AFTER = timedelta(seconds=60)
"""Whoever makes one says every few seconds that it still does; after this it is taken for dead."""


class BackupState(models.TextChoices):
    ASKED = "asked"
    MAKING = "making"
    DONE = "done"
    FAILED = "failed"
    GONE = "gone"


class BackupQuerySet(models.QuerySet["Backup"]):
    def unfinished(self) -> Self:
        return self.filter(state__in=(BackupState.ASKED, BackupState.MAKING))

    def silent(self) -> Self:
        """Those whose maker was not heard for too long."""
        return self.filter(Q(beat_at=None) | Q(beat_at__lt=timezone.now() - SILENT_AFTER), state=BackupState.MAKING)


class Backup(models.Model):
    """``file`` is a name in the folder of backups of ``host``. ``engine_left_out`` says why no engine's store is in it,
    ``reason`` why it failed or where it went. ``sha256`` and ``size_bytes`` are of the file.
    """

    key = models.CharField(max_length=40, unique=True)
    state = models.CharField(max_length=20, choices=BackupState.choices, default=BackupState.ASKED)
    asked_at = models.DateTimeField(auto_now_add=True)
    asked_by = models.CharField(max_length=200)
    beat_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    host = models.CharField(max_length=200, blank=True)
    file = models.CharField(max_length=120, blank=True)
    size_bytes = models.PositiveBigIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)
    engine_instance = models.CharField(max_length=80, blank=True)
    engine_generation = models.CharField(max_length=80, blank=True)
    engine_left_out = models.CharField(max_length=300, blank=True)
    reason = models.CharField(max_length=400, blank=True)

    objects = BackupQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.key} {self.state}"
