"""Keeping the index: which base has none that works, and making it anew."""

import structlog
from django.db import transaction

from forager.model import dialect
from forager.model.models import KnowledgeBase
from forager.search.fusion import active

log = structlog.get_logger("forager.index")


def rebuild(base: KnowledgeBase) -> None:
    """Makes the index of a base from its rows, in one transaction; readers see the old one or the whole new one."""
    with transaction.atomic():
        locked = KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        active().rebuild(locked)
    dialect.counted_anew()
    log.info("reindexed", base=base.pk)


def lost() -> KnowledgeBase | None:
    """A base whose published knowledge has no index that works."""
    backend = active()
    published = KnowledgeBase.objects.filter(current_revision__gt=0).order_by("id")
    return next((base for base in published if not backend.is_whole(base)), None)
