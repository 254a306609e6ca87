from django.db import models

from forager.model.bases import KnowledgeBase
from forager.model.documents import Source
from forager.model.revisioned import Revisioned, RevisionedManager

MANUAL = "manual"
"""The extractor of what a person wrote: no reading of a source makes or ends it."""


class Statement(Revisioned):
    """One sentence-sized claim. ``item_id`` is the wire's ``ki_…``; a row is one version of it."""

    item_id = models.CharField(max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="statements")
    type = models.CharField(max_length=20)
    text = models.TextField()
    title = models.CharField(max_length=500, blank=True)
    subject = models.CharField(max_length=300, blank=True)
    subject_origin = models.CharField(max_length=20, blank=True)
    attribute_key = models.CharField(max_length=500, blank=True)
    attribute_value = models.CharField(max_length=500, blank=True)
    frame = models.JSONField(null=True)
    support = models.CharField(max_length=30)
    support_reason = models.CharField(max_length=300)
    confidence = models.FloatField()
    status = models.CharField(max_length=20, default="active")
    review_status = models.CharField(max_length=20, default="unreviewed")
    superseded_by = models.CharField(max_length=40, blank=True)
    entries = models.JSONField(default=list, help_text="which entries of the word lists it was read by")
    flags = models.JSONField(default=list, help_text="what to be wary of: instruction, hidden_characters")
    effective_date = models.CharField(max_length=40, blank=True)
    recorded_at = models.DateTimeField()
    extractor_name = models.CharField(max_length=60)
    extractor_version = models.CharField(max_length=20)
    evidence_count = models.PositiveIntegerField(default=0)
    origins = models.PositiveIntegerField(default=0)
    content_hash = models.CharField(max_length=64, help_text="of everything extracted; a change makes a new row")

    objects = RevisionedManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item_id"], condition=models.Q(rev_to__isnull=True), name="statement_open_once"
            )
        ]
        indexes = [
            models.Index(fields=["base", "item_id"]),
            models.Index(fields=["base", "attribute_key"]),
            models.Index(fields=["item_id"]),
        ]


class Evidence(Revisioned):
    """A pointer from a statement to an exact excerpt: ``text[start:end] == excerpt``, always."""

    evidence_id = models.CharField(max_length=40, db_index=True)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="evidence")
    item_id = models.CharField(max_length=40, db_index=True)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="evidence")
    chunk_id = models.CharField(max_length=40, blank=True)
    location = models.CharField(max_length=500)
    locator = models.JSONField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    excerpt = models.TextField()
    excerpt_hash = models.CharField(max_length=64)
    extractor_name = models.CharField(max_length=60)
    extractor_version = models.CharField(max_length=20)
    confidence = models.FloatField()
    missing_excerpt = models.BooleanField(default=False)
    claims = models.JSONField(default=list, help_text="what the conflict pass compares; they know their surroundings")

    objects = RevisionedManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["evidence_id"], condition=models.Q(rev_to__isnull=True), name="evidence_open_once"
            )
        ]
        indexes = [
            models.Index(fields=["base", "item_id", "source", "rev_from", "rev_to"]),
            models.Index(fields=["source", "start"]),
            models.Index(fields=["excerpt_hash"]),
        ]
