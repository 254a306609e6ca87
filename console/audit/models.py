"""What was done, by whom, to what: rows are added, never changed."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Self

from django.db import models


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``key`` is stable (``user:3``, ``command:up``), ``name`` is how it was called at that time."""

    key: str
    name: str


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def of_action(self, action: str) -> Self:
        return self.filter(action__startswith=f"{action}.") if action else self

    def by_actor(self, name: str) -> Self:
        return self.filter(actor_name__icontains=name) if name else self

    def in_project(self, slug: str) -> Self:
        return self.filter(project=slug) if slug else self

    def between(self, first: date | None, last: date | None) -> Self:
        """Both days count whole, in the console's time zone."""
        rows = self.filter(at__date__gte=first) if first else self
        return rows.filter(at__date__lte=last) if last else rows


class AuditEvent(models.Model):
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor_key = models.CharField(max_length=80)
    actor_name = models.CharField(max_length=200)
    action = models.CharField(max_length=60, db_index=True)
    target = models.CharField(max_length=200)
    project = models.CharField(max_length=80, blank=True, db_index=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.action} {self.target}"
