"""A question that the knowledge base of a project did not answer, and how often it was asked."""

from typing import Any, ClassVar, Self

from django.db import models

from console.projects.models import Project
from console.tokens.models import AgentToken

MOST = 1000
"""Open gaps of one project; beyond them the one longest not asked goes."""


class GapState(models.TextChoices):
    OPEN = "open"
    CLOSED = "closed"
    DISMISSED = "dismissed"


class GapQuerySet(models.QuerySet["Gap"]):
    def of(self, project: Project, base_id: str) -> Self:
        return self.filter(project=project, base_id=base_id)

    def open(self) -> Self:
        return self.filter(state=GapState.OPEN)


class Gap(models.Model):
    """One question of one reach: what its callers may see (``band``, ``floor``) is how it is asked again.

    ``digest`` is that of the question without case and punctuation at its end; the question is kept for people who may
    read this base. ``asked_revision`` is the state of the base it was last asked of.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="gaps")
    base_id = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    question = models.CharField(max_length=500)
    band = models.CharField(max_length=20)
    floor = models.CharField(max_length=30)
    code = models.CharField(max_length=30)
    count = models.PositiveIntegerField(default=1)
    first_at = models.DateTimeField(auto_now_add=True)
    last_at = models.DateTimeField()
    token = models.ForeignKey(AgentToken, on_delete=models.SET_NULL, null=True, related_name="gaps")
    asked_revision = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=20, choices=GapState.choices, default=GapState.OPEN)
    ended_at = models.DateTimeField(null=True)
    statement_id = models.CharField(max_length=200, blank=True)
    is_contested = models.BooleanField(default=False)
    dismissed_by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=500, blank=True)

    objects = GapQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-last_at", "-id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["project", "base_id", "digest", "band", "floor"], name="gaps_once"),
        ]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["project", "base_id", "state", "-last_at"])]

    def __str__(self) -> str:
        return f"gap {self.pk}"
