from django.db import models

from forager.model.bases import KnowledgeBase


class Decision(models.Model):
    """A person's ruling or review, anchored so that it outlives reprocessing and better extractors.

    ``anchor``: ``{"type", "attribute_key", "sides": [{"value", "evidence": [[document_id, excerpt_hash], …]}]}``;
    Of kind ``entities`` it is about names: ``{"a": [name, …], "b": [name, …]}``, folded, the main one first.
    ``winner`` is the index of the chosen side in it. Nothing here is ever deleted or overwritten but ``state``.
    """

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=20)
    action = models.CharField(max_length=30)
    anchor = models.JSONField()
    winner = models.PositiveSmallIntegerField(null=True)
    discriminator = models.JSONField(null=True)
    assignee = models.CharField(max_length=200, blank=True)
    notes = models.TextField(blank=True)
    actor = models.CharField(max_length=200)
    decided_at = models.DateTimeField()
    state = models.CharField(
        max_length=20,
        default="standing",
        help_text="standing, reopened, orphaned; awaiting, seconded, parted (looks)",
    )
    target_id = models.CharField(max_length=40, db_index=True, help_text="the conflict or statement it was made on")
    actor_key = models.CharField(max_length=200, blank=True, help_text="who it was, also when two share a name")
    read_digest = models.CharField(max_length=64, blank=True, help_text="of the sides as they were read")
    first_look = models.CharField(max_length=40, blank=True, help_text="the decision it seconds")
    as_suggested = models.BooleanField(null=True, help_text="null: nothing was suggested, or no side was chosen")

    class Meta:
        indexes = [models.Index(fields=["base", "state"])]


class ReviewEvent(models.Model):
    """The trail: who did what to which, what it was before and after."""

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="review_events")
    target_id = models.CharField(max_length=40, db_index=True)
    action = models.CharField(max_length=40)
    before = models.JSONField()
    after = models.JSONField()
    actor = models.CharField(max_length=200)
    notes = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["base", "at", "id"])]
