"""Keeping the index: whether a base has one that works, making it anew, and what to answer with meanwhile."""

import structlog
from django.db import DatabaseError, transaction

from forager.model.models import KnowledgeBase
from forager.search.backend import SearchBackend
from forager.search.fusion import active
from forager.search.like import Like

log = structlog.get_logger("forager.index")


def rebuild(base: KnowledgeBase) -> None:
    """Makes the index of a base from its rows, in one transaction; readers see the old one or the whole new one."""
    with transaction.atomic():
        locked = KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        active().rebuild(locked)
    log.info("reindexed", base=base.pk)


def lost() -> KnowledgeBase | None:
    """A base whose published knowledge has no index that works."""
    backend = active()
    published = KnowledgeBase.objects.filter(current_revision__gt=0).order_by("id")
    return next((base for base in published if not backend.is_whole(base)), None)


def backend_for(base: KnowledgeBase) -> SearchBackend:
    """The index, or the plain look through the rows where the index is lost; its name says which answered."""
    backend = active()
    try:
        works = not base.current_revision or backend.is_there(base)
    except DatabaseError as error:
        log.warning("index_unusable", base=base.pk, kind=type(error).__name__)
        works = False
    return backend if works else Like()
