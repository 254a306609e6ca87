"""A person's own phrases for rulings, in one project: no wording of one project is ever seen in another."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from console.projects.models import Project

MOST = 5


class Phrase(models.Model):
    """One reason; the oldest has the first key."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="phrases")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="phrases")
    words = models.CharField(max_length=200)
    kept_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["kept_at", "id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["project", "user", "words"], name="phrases_once"),
        ]

    def __str__(self) -> str:
        return f"phrase {self.pk}"
