"""A ruling an agent proposes on one conflict as it was read, and what a person made of it."""

from typing import Any, ClassVar, Self

from django.db import models

from console.projects.models import Project
from console.tokens.models import AgentToken


class ProposalState(models.TextChoices):
    OPEN = "open"
    APPLYING = "applying"
    APPLIED = "applied"
    DECLINED = "declined"
    OVERTAKEN = "overtaken"


class ProposalQuerySet(models.QuerySet["Proposal"]):
    def of(self, project: Project, base_id: str) -> Self:
        return self.filter(project=project, base_id=base_id)

    def undecided(self) -> Self:
        return self.filter(state__in=(ProposalState.OPEN, ProposalState.APPLYING))


class Proposal(models.Model):
    """``digest`` is of the conflict as the agent read it; ``agent`` one number for all tokens of a rotation.

    ``applying`` says that the engine was asked and that its answer is not recorded yet: what the engine says then
    decides. ``cause`` is why it is where it is, for people.
    """

    key = models.CharField(max_length=40, unique=True)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="proposals")
    token = models.ForeignKey(AgentToken, on_delete=models.CASCADE, related_name="proposals")
    agent = models.PositiveBigIntegerField()
    base_id = models.CharField(max_length=80)
    conflict_id = models.CharField(max_length=200)
    digest = models.CharField(max_length=200)
    ruling = models.CharField(max_length=30)
    side_id = models.CharField(max_length=200, blank=True)
    told_apart_by = models.CharField(max_length=20, blank=True)
    told_apart = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=1500)
    package = models.CharField(max_length=40)
    state = models.CharField(max_length=20, choices=ProposalState.choices, default=ProposalState.OPEN)
    made_at = models.DateTimeField(auto_now_add=True)
    decided_by_key = models.CharField(max_length=80, blank=True)
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)
    decline_reason = models.CharField(max_length=1500, blank=True)
    decision_id = models.CharField(max_length=200, blank=True)
    cause = models.CharField(max_length=300, blank=True)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["agent", "base_id", "conflict_id", "digest"], name="proposals_once"),
        ]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["project", "base_id", "state", "-id"])]

    def __str__(self) -> str:
        return self.key
