"""Rows that belong to a range of revisions. Nothing unpublished is ever visible.

A row is seen at revision ``r`` when ``rev_from <= r`` and (``rev_to`` is null or ``rev_to > r``). A run writes with
``rev_from = rev_to = current + 1``; publishing flips the base's ``current_revision`` and all of it appears at once.
"""

from typing import Self

from django.db import models
from django.db.models import Q


class RevisionedQuerySet[M: models.Model](models.QuerySet[M]):
    def at(self, revision: int) -> Self:
        """Rows visible to readers of ``revision``."""
        return self.filter(Q(rev_to__isnull=True) | Q(rev_to__gt=revision), rev_from__lte=revision)

    def pending(self) -> Self:
        """Rows that will be visible once the running work is published."""
        return self.filter(rev_to__isnull=True)


RevisionedManager = models.Manager.from_queryset(RevisionedQuerySet)


class Revisioned(models.Model):
    rev_from = models.PositiveIntegerField()
    rev_to = models.PositiveIntegerField(null=True)

    class Meta:
        abstract = True
