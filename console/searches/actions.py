"""Keeping and dropping searches. The audit names a search by its number, never its words."""

from collections.abc import Mapping

from django.db import transaction

from console.audit.actions import record
from console.people.models import User
from console.projects.models import Project
from console.searches.models import MOST, SavedSearch


class TooManySearches(Exception):
    """A list longer than this is searched, not read."""


@transaction.atomic
def keep_search(*, user: User, project: Project, name: str, query: str, filters: Mapping[str, str]) -> SavedSearch:
    """Keep a search under a name; the same name again means the new search."""
    mine = SavedSearch.objects.filter(user=user, project=project)
    if mine.count() >= MOST and not mine.filter(name=name).exists():
        raise TooManySearches
    kept, _made = SavedSearch.objects.update_or_create(
        user=user, project=project, name=name, defaults={"query": query, "filters": dict(filters)}
    )
    record(by=user.actor, action="search.kept", target=str(kept.pk), project=project.slug)
    return kept


@transaction.atomic
def drop_search(*, user: User, project: Project, pk: int) -> bool:
    """Whether there was such a search of this person here."""
    gone, _all = SavedSearch.objects.filter(user=user, project=project, pk=pk).delete()
    if gone:
        record(by=user.actor, action="search.dropped", target=str(pk), project=project.slug)
    return bool(gone)
