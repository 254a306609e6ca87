"""Moving a base's view: a decision or a lifecycle change counts from the very next read."""

from django.db.models import F

from forager.model.models import KnowledgeBase
from forager.review import standing


def moved(base: KnowledgeBase) -> None:
    """Inside the caller's transaction: a new epoch, and every status derived anew."""
    KnowledgeBase.objects.filter(pk=base.pk).update(state_epoch=F("state_epoch") + 1)
    base.refresh_from_db()
    standing.apply(base)
