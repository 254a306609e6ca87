"""Frozen packages of one token: the bytes that were handed out, what they quote, and what came of them."""

from typing import Any, ClassVar, Self

from django.db import models
from django.dispatch import Signal

from console.tokens.models import AgentToken

packages_purged = Signal()
"""Sent with ``packages``, the ids of what was emptied: whoever keeps words that rest on them empties these, too."""


class PackageQuerySet(models.QuerySet["Package"]):
    def of_base(self, base_id: str) -> Self:
        return self.filter(base_id=base_id)

    def of_tokens(self, tokens: list[int]) -> Self:
        return self.filter(token_id__in=tokens)

    def quoting(self, statement_ids: list[str]) -> Self:
        return self.filter(quotes__statement_id__in=statement_ids).distinct()


class Package(models.Model):
    """``body`` and ``context`` are emptied by a purge; digests, manifest and what came of it stay.

    ``context`` is the compressed JSON of what citations are held to.
    """

    key = models.CharField(max_length=40, unique=True)
    token = models.ForeignKey(AgentToken, on_delete=models.CASCADE, related_name="packages")
    base_id = models.CharField(max_length=80, db_index=True)
    kind = models.CharField(max_length=20)
    status = models.CharField(max_length=20, blank=True)
    digest = models.CharField(max_length=64)
    manifest_digest = models.CharField(max_length=64)
    manifest = models.BinaryField()
    body = models.BinaryField(null=True)
    context = models.BinaryField(null=True)
    size = models.PositiveIntegerField()
    statement_count = models.PositiveIntegerField()
    attempt = models.CharField(max_length=200, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    admitted_at = models.CharField(max_length=40)
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    checked_at = models.DateTimeField(null=True)
    standing = models.CharField(max_length=20, blank=True)
    purged_at = models.DateTimeField(null=True)
    purged_because = models.CharField(max_length=120, blank=True)

    objects = PackageQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["base_id", "-id"]), models.Index(fields=["token", "-id"])]

    def __str__(self) -> str:
        return self.key


class Quote(models.Model):
    """One place that a package quotes; ``standing`` is how its statement was told: holds, contested or past."""

    package = models.ForeignKey(Package, on_delete=models.CASCADE, related_name="quotes")
    statement_id = models.CharField(max_length=200)
    evidence_id = models.CharField(max_length=200, blank=True)
    source_id = models.CharField(max_length=200, blank=True)
    document_id = models.CharField(max_length=200, blank=True)
    version = models.CharField(max_length=200, blank=True)
    excerpt_hash = models.CharField(max_length=200, blank=True)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    standing = models.CharField(max_length=20)

    class Meta:
        ordering: ClassVar = ["id"]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["statement_id"]), models.Index(fields=["document_id"])]

    def __str__(self) -> str:
        return f"{self.statement_id} in {self.package_id}"


class Outcome(models.Model):
    """What the consumer of a package told; ``raw`` as it came, emptied by a purge."""

    package = models.ForeignKey(Package, on_delete=models.CASCADE, related_name="outcomes")
    at = models.DateTimeField(auto_now_add=True)
    outcome = models.CharField(max_length=30)
    grounded = models.BooleanField()
    raw = models.TextField(blank=True)
    raw_digest = models.CharField(max_length=64)

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"{self.outcome} of {self.package_id}"


class CitationCheck(models.Model):
    """An answer held to a package. ``findings`` quote the answer, so that a purge empties them; their number stays."""

    package = models.ForeignKey(Package, on_delete=models.CASCADE, related_name="citation_checks")
    at = models.DateTimeField(auto_now_add=True)
    answer_digest = models.CharField(max_length=64)
    holds = models.BooleanField()
    cited = models.PositiveIntegerField()
    finding_count = models.PositiveIntegerField()
    findings = models.JSONField(default=list)

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'fails'}: {self.package_id}"


class Comparison(models.Model):
    """Served statements that an act touched and that were not compared with the engine yet, because it was away."""

    base_id = models.CharField(max_length=80, db_index=True)
    at = models.DateTimeField(auto_now_add=True)
    cause = models.CharField(max_length=20)
    reference = models.CharField(max_length=200)
    statement_ids = models.JSONField()

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"{self.cause} {self.reference}"


class Correction(models.Model):
    """A served statement that an act of a person overturned. Its number is the cursor of ``corrections``."""

    base_id = models.CharField(max_length=80, db_index=True)
    at = models.DateTimeField(auto_now_add=True)
    cause = models.CharField(max_length=20)
    reference = models.CharField(max_length=200)
    statement_id = models.CharField(max_length=200, db_index=True)
    standing = models.CharField(max_length=20)
    successor_id = models.CharField(max_length=200, blank=True)
    packages = models.ManyToManyField(Package, related_name="corrections")

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"{self.statement_id}: {self.standing}"
