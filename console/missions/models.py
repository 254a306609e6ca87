"""A mission of a project, the tries of agents at it, and the one result."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import F, Q
from django.dispatch import receiver
from django.utils import timezone

from console.packages.models import Package, packages_purged
from console.projects.models import Project
from console.tokens.models import AgentToken
from knowledge.vocabulary import Band

MOST_TRIES = 3


class MissionState(models.TextChoices):
    QUEUED = "queued"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Action(models.TextChoices):
    ANSWER = "answer"
    STUDY = "study"


class AttemptState(models.TextChoices):
    WORKING = "working"
    LAPSED = "lapsed"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class MissionQuerySet(models.QuerySet["Mission"]):
    def of(self, project: Project, base_id: str) -> Self:
        return self.filter(project=project, base_id=base_id)

    def for_band(self, ceiling: Band) -> Self:
        """Those that an agent with this ceiling may be told of."""
        return self if ceiling is Band.TENANT else self.filter(band=Band.GENERAL.value)

    def unspent(self) -> Self:
        return self.filter(
            calls_spent__lt=F("calls_budget"), facts_spent__lt=F("facts_budget"), bytes_spent__lt=F("bytes_budget")
        )


class Mission(models.Model):
    """``subject`` is a document's digest, or a revision with the digest of the questions: the same is queued once.

    ``fence`` grows with each claim. Budgets are of the mission, whoever tries: calls, statements handed out, bytes.
    """

    key = models.CharField(max_length=40, unique=True)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="missions")
    instance_id = models.CharField(max_length=80)
    base_id = models.CharField(max_length=80)
    subject = models.CharField(max_length=200)
    action = models.CharField(max_length=20, choices=Action.choices)
    policy = models.CharField(max_length=40)
    band = models.CharField(max_length=20, default=Band.TENANT.value)
    title = models.CharField(max_length=200)
    questions = models.JSONField(default=list)
    documents = models.JSONField(default=list)
    state = models.CharField(max_length=20, choices=MissionState.choices, default=MissionState.QUEUED)
    fence = models.PositiveIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)
    most_tries = models.PositiveIntegerField(default=MOST_TRIES)
    calls_budget = models.PositiveIntegerField()
    facts_budget = models.PositiveIntegerField()
    bytes_budget = models.PositiveBigIntegerField()
    calls_spent = models.PositiveIntegerField(default=0)
    facts_spent = models.PositiveIntegerField(default=0)
    bytes_spent = models.PositiveBigIntegerField(default=0)
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    cause = models.CharField(max_length=300, blank=True)

    objects = MissionQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["project", "instance_id", "base_id", "subject", "action", "policy"], name="missions_once"
            ),
            models.CheckConstraint(
                condition=Q(calls_spent__lte=F("calls_budget"))
                & Q(facts_spent__lte=F("facts_budget"))
                & Q(bytes_spent__lte=F("bytes_budget")),
                name="missions_within_budget",
            ),
        ]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["project", "base_id", "state", "id"])]

    def __str__(self) -> str:
        return self.key


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def working(self) -> Self:
        return self.filter(state=AttemptState.WORKING)

    def overdue(self, at: datetime) -> Self:
        return self.working().filter(lease_until__lte=at)


class Attempt(models.Model):
    """One try. ``agent`` is the same number for all tokens of a rotation; ``worker`` its own name for itself."""

    mission = models.ForeignKey(Mission, on_delete=models.CASCADE, related_name="attempts")
    token = models.ForeignKey(AgentToken, on_delete=models.CASCADE, related_name="attempts")
    agent = models.PositiveBigIntegerField()
    worker = models.CharField(max_length=80, blank=True)
    fence = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=AttemptState.choices, default=AttemptState.WORKING)
    claimed_at = models.DateTimeField()
    renewed_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["mission", "fence"], name="attempts_one_fence"),
            models.UniqueConstraint(
                fields=["mission"], condition=Q(state=AttemptState.WORKING), name="attempts_one_worker"
            ),
            models.UniqueConstraint(
                fields=["agent"], condition=Q(state=AttemptState.WORKING), name="attempts_one_mission"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mission_id} try {self.fence}"


class Result(models.Model):
    """What an attempt handed in. ``text`` and ``findings`` are emptied when a package they rest on is purged."""

    mission = models.ForeignKey(Mission, on_delete=models.CASCADE, related_name="results")
    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="result")
    outcome = models.CharField(max_length=20)
    text = models.TextField()
    text_digest = models.CharField(max_length=64)
    packages = models.ManyToManyField(Package, related_name="results")
    is_checked = models.BooleanField(default=False)
    holds = models.BooleanField(default=False)
    cited = models.PositiveIntegerField(default=0)
    finding_count = models.PositiveIntegerField(default=0)
    findings = models.JSONField(default=list)
    at = models.DateTimeField(auto_now_add=True)
    purged_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["mission"], condition=Q(outcome="done"), name="results_one_answer"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome}: {self.mission_id}"


@receiver(packages_purged)
def empty_results(sender: object, packages: list[int], **_more: Any) -> None:
    """A result quotes what it rests on. Heard here, because every process that may purge has the models loaded."""
    resting = Result.objects.filter(packages__in=packages, purged_at=None).values_list("pk", flat=True)
    Result.objects.filter(pk__in=list(resting)).update(text="", findings=[], purged_at=timezone.now())
