from django.db import models

from forager.model.bases import KnowledgeBase


class Served(models.Model):
    """A statement that was handed out in a context package. Ids and names alone: neither question nor text."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="served")
    item_id = models.CharField(max_length=40)
    package_id = models.CharField(max_length=80)
    agent = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["base", "package_id", "item_id"], name="served_once")]
        indexes = [models.Index(fields=["base", "item_id", "at"])]
