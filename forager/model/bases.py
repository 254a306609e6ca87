from django.db import models


class Store(models.Model):
    """The one row that says which engine this database is. Travels with the database; restore makes a generation."""

    instance_id = models.CharField(max_length=40)
    generation = models.CharField(max_length=40)
    generation_reason = models.CharField(max_length=40)
    created_at = models.DateTimeField()
    feed_pruned_to = models.PositiveBigIntegerField(default=0, help_text="the last event that is no longer kept")


class StoreLock(models.Model):
    """At most one row: the serving process that holds this store."""

    holder = models.CharField(max_length=64)
    mark = models.CharField(max_length=300, help_text="the process, told apart from one that reuses its pid")
    heartbeat_at = models.DateTimeField()


class KnowledgeBase(models.Model):
    """An engine-side project. Counters are kept, never counted on a page."""

    id = models.CharField(primary_key=True, max_length=40)
    namespace = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=20, default="active")
    source_count = models.PositiveIntegerField(default=0)
    knowledge_count = models.PositiveIntegerField(default=0)
    entity_count = models.PositiveIntegerField(default=0)
    open_conflict_count = models.PositiveIntegerField(default=0)
    current_revision = models.PositiveIntegerField(default=0)
    state_epoch = models.PositiveIntegerField(default=0)
    last_published_at = models.DateTimeField(null=True)
    last_detector_pass = models.JSONField(default=dict)
    vocabulary = models.JSONField(default=dict, help_text="the words it adds, as its documents were last read with")
    second_look = models.BooleanField(default=False, help_text="a ruling needs two people, the second one blind")
    next_vocabulary = models.JSONField(null=True, help_text="the words its next run takes up; null when none wait")
    created_at = models.DateTimeField()

    @classmethod
    def locked(cls, base_id: str) -> "KnowledgeBase":
        """Inside a transaction: the base as it stands, and nobody else writes to it until the end."""
        return cls.objects.select_for_update().get(pk=base_id)

    @property
    def view_id(self) -> str:
        return f"{self.current_revision}:{self.state_epoch}"

    @property
    def next_revision(self) -> int:
        return self.current_revision + 1
