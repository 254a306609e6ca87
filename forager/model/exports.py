from django.db import models

from forager.model.bases import KnowledgeBase


class Export(models.Model):
    """A file made from one view of a base, kept in the data folder until it expires."""

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=20)
    status = models.CharField(max_length=20, default="queued")
    revision_id = models.CharField(max_length=40, blank=True)
    view_id = models.CharField(max_length=40, blank=True)
    size_bytes = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    counts = models.JSONField(default=dict)
    error = models.CharField(max_length=300, blank=True)
    documents = models.JSONField(null=True, help_text="ids of those it may hold words of; null when it is not known")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
