"""A finding: one version of one document that nobody has studied. It is filed once and decided once."""

from typing import Any, ClassVar, Self

from django.db import models


class Kind(models.TextChoices):
    NEW = "new"
    CHANGED = "changed"


class Decision(models.TextChoices):
    """What a person decided, or nothing yet."""

    OPEN = "open"
    STUDY = "study"
    NOT_NOW = "not_now"


class FindingQuerySet(models.QuerySet["Finding"]):
    def of(self, base_id: str) -> Self:
        return self.filter(base_id=base_id)

    def open(self) -> Self:
        return self.filter(decision=Decision.OPEN)


class Finding(models.Model):
    """``content_hash`` is that of the document's bytes: the same bytes again are the same finding."""

    base_id = models.CharField(max_length=80)
    document_id = models.CharField(max_length=80)
    content_hash = models.CharField(max_length=64)
    source_id = models.CharField(max_length=80)
    path = models.CharField(max_length=500)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    statements = models.PositiveIntegerField(default=0)
    found_at = models.DateTimeField(auto_now_add=True)
    decision = models.CharField(max_length=20, choices=Decision.choices, default=Decision.OPEN)
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-found_at", "-id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["base_id", "document_id", "content_hash"], name="study_once"),
        ]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["base_id", "decision", "-found_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.path}"


class StudyPass(models.Model):
    """The last look through a base for documents to study."""

    base_id = models.CharField(max_length=80, unique=True)
    at = models.DateTimeField()
    filed = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.base_id} {self.at:%Y-%m-%d %H:%M}"
