"""What happened to the bases of this store, in order, for whoever follows it. Written with the change it tells of."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from forager.model.bases import KnowledgeBase, Store
from forager.model.ids import random_id

PUBLISHED = "knowledge.revision.published"
STATE_CHANGED = "knowledge.state.changed"
EXPORTED = "knowledge.export.completed"
PRUNE_EVERY = 200


class FeedEvent(models.Model):
    """``id`` is the place in the feed and is never used again. ``producer_generation`` is the store's at the time."""

    event_id = models.CharField(max_length=40, unique=True)
    type = models.CharField(max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="feed")
    producer_generation = models.CharField(max_length=40)
    view_id = models.CharField(max_length=40)
    revision_id = models.CharField(max_length=40, blank=True)
    logical_content_hash = models.CharField(max_length=64, blank=True)
    job_id = models.CharField(max_length=40, blank=True)
    origin_kind = models.CharField(max_length=20)
    causation_id = models.CharField(max_length=40, blank=True)
    export_id = models.CharField(max_length=40, blank=True)
    package_digest = models.CharField(max_length=64, blank=True)
    occurred_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["base", "id"])]


def announce(base: KnowledgeBase, event_type: str, **told: str) -> FeedEvent:
    """Inside the transaction of the change: either both are there or neither."""
    store = Store.objects.select_for_update().first()  # places are committed in their order, or a reader passes one by
    event = FeedEvent.objects.create(
        event_id=random_id("evt"),
        type=event_type,
        base=base,
        producer_generation=store.generation if store else "",
        view_id=base.view_id,
        origin_kind=told.pop("origin_kind", "engine"),
        occurred_at=timezone.now(),
        **told,
    )
    if event.pk % PRUNE_EVERY == 0:
        prune()
    return event


def prune() -> None:
    """Lets go of what is older than it is kept; ``pruned_to`` tells a follower who was away too long."""
    old = FeedEvent.objects.filter(occurred_at__lt=timezone.now() - timedelta(days=settings.FEED_DAYS))
    last = old.order_by("-id").values_list("id", flat=True).first()
    if last is not None:
        FeedEvent.objects.filter(id__lte=last).delete()
        Store.objects.update(feed_pruned_to=last)
