"""A person's own searches, in one project: what one looks for is nobody else's business."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from console.projects.models import Project

MOST = 20


class SavedSearch(models.Model):
    """``filters`` holds the other fields of the search as its address does, by name."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="searches")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="searches")
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=500)
    filters = models.JSONField(default=dict)
    kept_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["project", "user", "name"], name="searches_once"),
        ]

    def __str__(self) -> str:
        return f"search {self.pk}"
