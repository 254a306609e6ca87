from django.db import models

from forager.model.bases import KnowledgeBase
from forager.model.revisioned import Revisioned, RevisionedManager


class Conflict(Revisioned):
    """Two or more statements or sources that cannot both hold, as found. ``status`` follows the standing ruling."""

    conflict_id = models.CharField(max_length=40, db_index=True)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="conflicts")
    type = models.CharField(max_length=30)
    subject = models.CharField(max_length=300)
    attribute_key = models.CharField(max_length=500)
    status = models.CharField(max_length=20, default="open")
    certainty = models.CharField(
        max_length=20, default="dispute", help_text="dispute, or candidate: only headings name it"
    )
    description = models.TextField()
    why = models.TextField()
    suggestion = models.JSONField(null=True)
    assignee = models.CharField(max_length=200, blank=True)
    decision_id = models.CharField(max_length=40, blank=True, help_text="the ruling that gives it its status")
    digest = models.CharField(max_length=64)
    detected_at = models.DateTimeField()
    uncertainty = models.PositiveSmallIntegerField(default=100, help_text="hundredths; 100: no side outweighs another")
    served = models.PositiveIntegerField(default=0, help_text="how often a side was handed out")
    opened_day = models.PositiveIntegerField(default=0, help_text="ordinal of the day it was first found")
    source_count = models.PositiveIntegerField(default=0)
    ruled_at = models.DateTimeField(null=True, help_text="when the ruling that gives its status was made")

    objects = RevisionedManager()

    class Meta:
        indexes = [models.Index(fields=["base", "status", "conflict_id"])]


class ConflictSide(models.Model):
    """One distinct canonical value of a conflict."""

    conflict = models.ForeignKey(Conflict, on_delete=models.CASCADE, related_name="sides")
    side_id = models.CharField(max_length=40)
    position = models.PositiveSmallIntegerField()
    value = models.CharField(max_length=500)
    value_raw = models.CharField(max_length=500)
    origins = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["position"]


class ConflictMember(models.Model):
    """What a side rests on: a statement, or for duplicates a source."""

    side = models.ForeignKey(ConflictSide, on_delete=models.CASCADE, related_name="members")
    item_id = models.CharField(max_length=40, blank=True, db_index=True)
    source_id = models.CharField(max_length=40, db_index=True)
    document_id = models.CharField(max_length=40)
    excerpt_hash = models.CharField(max_length=64, db_index=True)

    class Meta:
        ordering = ["item_id", "source_id", "pk"]
