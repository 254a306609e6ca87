from django.db import models

from forager.model.bases import KnowledgeBase


class Import(models.Model):
    """A package that was handed in: looked through first, taken in when a person says so.

    checking → refused | ready → applying → reading → completed | failed; ``ready`` ends as expired when nobody comes.
    """

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="imports")
    status = models.CharField(max_length=20, default="checking")
    sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    actor = models.CharField(max_length=200, blank=True)
    producer = models.JSONField(default=dict, help_text="who made it and of which revision, as its manifest says")
    preview = models.JSONField(default=dict, help_text="what it would add, skip and keep; counts and examples")
    outcome = models.JSONField(default=dict, help_text="what was added, skipped and kept")
    tries = models.PositiveSmallIntegerField(default=0, help_text="of the step it is in; hard ends of workers count")
    job_id = models.CharField(max_length=40, blank=True)
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["base", "created_at"]), models.Index(fields=["status", "created_at"])]


class Origin(models.Model):
    """The id a record has where a package was made. A record that several brought has several."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="origins")
    kind = models.CharField(max_length=20, help_text="document, source, statement, evidence, decision")
    record_id = models.CharField(max_length=40, help_text="its id here")
    instance_id = models.CharField(max_length=40)
    origin_id = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["base", "kind", "record_id", "instance_id", "origin_id"], name="origin_once"
            )
        ]
        indexes = [models.Index(fields=["base", "instance_id", "origin_id"])]
