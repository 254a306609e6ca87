from django.db import models

from forager.model.bases import KnowledgeBase
from forager.model.revisioned import Revisioned, RevisionedManager


class Entity(Revisioned):
    """A person, organisation, project, … as resolved over the whole base."""

    entity_id = models.CharField(max_length=40, db_index=True)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="entities")
    type = models.CharField(max_length=30)
    canonical_name = models.CharField(max_length=300)
    confidence = models.FloatField()
    status = models.CharField(max_length=20, default="active")
    mention_count = models.PositiveIntegerField(default=0)
    knowledge_count = models.PositiveIntegerField(default=0)

    objects = RevisionedManager()

    class Meta:
        verbose_name_plural = "entities"
        indexes = [models.Index(fields=["base", "canonical_name", "entity_id"])]


class Alias(Revisioned):
    """A name an entity goes by, and why we think so."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="aliases")
    entity_id = models.CharField(max_length=40, db_index=True)
    alias = models.CharField(max_length=300)
    folded = models.CharField(max_length=300, help_text="as looked up: case and marks folded")
    kind = models.CharField(max_length=30)
    reason = models.CharField(max_length=300)
    confidence = models.FloatField()
    separable = models.BooleanField(default=False, help_text="a name of its own, which a person may take out again")

    objects = RevisionedManager()

    class Meta:
        verbose_name_plural = "aliases"
        indexes = [models.Index(fields=["base", "folded"])]


class MergeCandidate(Revisioned):
    """Two entities that may be one, as found. ``status`` (open, accepted, rejected) follows a person's decision."""

    candidate_id = models.CharField(max_length=40, db_index=True)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="merge_candidates")
    kind = models.CharField(max_length=30)
    reason = models.CharField(max_length=300)
    confidence = models.FloatField()
    left_id = models.CharField(max_length=40)
    right_id = models.CharField(max_length=40)
    names = models.JSONField(help_text='{"a": […], "b": […]}: every own name of both, folded, the main one first')
    status = models.CharField(max_length=20, default="open")
    decision_id = models.CharField(max_length=40, blank=True)
    content_hash = models.CharField(max_length=64)
    detected_at = models.DateTimeField()

    objects = RevisionedManager()

    class Meta:
        indexes = [models.Index(fields=["base", "status", "candidate_id"])]


class Mention(Revisioned):
    """A statement speaks of a name; ``entity_id`` is filled by resolution."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="mentions")
    item_id = models.CharField(max_length=40, db_index=True)
    name = models.CharField(max_length=300)
    type = models.CharField(max_length=30)
    facts = models.JSONField(default=dict, help_text="what the text itself says of the name (aliases, address)")
    entity_id = models.CharField(max_length=40, blank=True, db_index=True)

    objects = RevisionedManager()
