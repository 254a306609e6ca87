"""Moving a base's view: a decision or a lifecycle change counts from the very next read."""

from django.db.models import F

from forager.model import feed
from forager.model.models import KnowledgeBase
from forager.review import anchors, standing


def moved(
    base: KnowledgeBase,
    *,
    cause: str = "",
    origin: str = "person",
    evidence: set[anchors.EvidenceKey] | None = None,
) -> None:
    """Inside the caller's transaction: a new epoch, statuses derived anew, the feed told. ``cause`` is an id.

    ``evidence`` is what rulings were made on; with it only what they can reach is derived.
    """
    KnowledgeBase.objects.filter(pk=base.pk).update(state_epoch=F("state_epoch") + 1)
    base.refresh_from_db()
    if evidence is None:
        standing.apply(base)
    else:
        standing.apply_to(base, evidence)
    feed.announce(base, feed.STATE_CHANGED, causation_id=cause, origin_kind=origin)
