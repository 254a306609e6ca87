from django.db import models

from forager.model.bases import KnowledgeBase
from forager.model.jobs import Job


class Revision(models.Model):
    """A published state of a base, as one commit."""

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="revisions")
    sequence = models.PositiveIntegerField()
    logical_content_hash = models.CharField(max_length=64)
    completeness = models.CharField(max_length=20, default="complete")
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL)
    added = models.PositiveIntegerField()
    changed = models.PositiveIntegerField()
    superseded = models.PositiveIntegerField()
    withdrawn = models.PositiveIntegerField()
    published_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["base", "sequence"], name="revision_once")]
