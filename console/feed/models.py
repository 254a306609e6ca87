"""The follower's place in an engine's feed, a receipt of every entry, and each base's state as far as it was told."""

from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Follower(models.Model):
    """One engine that is followed. ``cursor`` acknowledges what is stored; ``sequence`` is the newest stored.

    ``caught_up_at`` is when nothing more was waiting; ``failing_since`` since when the engine could not be read.
    """

    instance_id = models.CharField(max_length=80, unique=True)
    generation = models.CharField(max_length=80)
    cursor = models.CharField(max_length=300, blank=True)
    sequence = models.PositiveBigIntegerField(default=0)
    read_at = models.DateTimeField(null=True)
    caught_up_at = models.DateTimeField(null=True)
    compared_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)
    failure = models.CharField(max_length=300, blank=True)
    resynchronised_at = models.DateTimeField(null=True)
    resynchronised_why = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.instance_id} {self.generation}"


class ReceiptQuerySet(models.QuerySet["Receipt"]):
    def due(self) -> Self:
        return self.filter(state=Receipt.State.WAITING).filter(
            Q(try_again_at=None) | Q(try_again_at__lte=timezone.now())
        )


class Receipt(models.Model):
    """One entry of the feed, once: a second one with the same producer, generation and id is the same.

    ``payload`` is the entry as it came; ``cause`` says why it could not be acted on; ``held_since`` since when its base
    could not be asked about although the engine answers.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        APPLIED = "applied"
        DEAD = "dead"
        DISCARDED = "discarded"

    instance_id = models.CharField(max_length=80)
    generation = models.CharField(max_length=80)
    event_id = models.CharField(max_length=80)
    type = models.CharField(max_length=80, blank=True)
    base_id = models.CharField(max_length=80, blank=True, db_index=True)
    sequence = models.PositiveBigIntegerField(default=0)
    view_id = models.CharField(max_length=80, blank=True)
    causation_id = models.CharField(max_length=80, blank=True)
    occurred_at = models.DateTimeField(null=True)
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)
    digest = models.CharField(max_length=64)
    payload = models.TextField()
    state = models.CharField(max_length=20, choices=State.choices, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    try_again_at = models.DateTimeField(null=True)
    held_since = models.DateTimeField(null=True)
    cause = models.CharField(max_length=300, blank=True)
    outcome = models.CharField(max_length=200, blank=True)
    ended_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=200, blank=True)
    note = models.CharField(max_length=500, blank=True)

    objects = ReceiptQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["instance_id", "generation", "event_id"], name="feed_once"),
        ]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["state", "sequence"])]

    def __str__(self) -> str:
        return f"{self.event_id} {self.state}"


class KnownView(models.Model):
    """The newest state of a base that was told in a generation. It only moves forward."""

    instance_id = models.CharField(max_length=80)
    generation = models.CharField(max_length=80)
    base_id = models.CharField(max_length=80)
    revision = models.PositiveBigIntegerField(default=0)
    epoch = models.PositiveBigIntegerField(default=0)
    acted_revision = models.PositiveBigIntegerField(default=0)
    acted_epoch = models.PositiveBigIntegerField(default=0)
    told_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["instance_id", "generation", "base_id"], name="feed_view_once"),
        ]

    def __str__(self) -> str:
        return f"{self.base_id} {self.revision}:{self.epoch}"
