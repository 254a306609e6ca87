"""Moving a base's view: a decision or a lifecycle change counts from the very next read."""

from django.db.models import F

from forager.model import feed
from forager.model.models import KnowledgeBase
from forager.review import standing


def moved(base: KnowledgeBase, *, cause: str = "", origin: str = "person") -> None:
    """Inside the caller's transaction: a new epoch, every status derived anew, the feed told. ``cause`` is an id."""
    KnowledgeBase.objects.filter(pk=base.pk).update(state_epoch=F("state_epoch") + 1)
    base.refresh_from_db()
    standing.apply(base)
    feed.announce(base, feed.STATE_CHANGED, causation_id=cause, origin_kind=origin)
