from django.db import models

from forager.model.bases import KnowledgeBase

PACKED = "package"
"""The origin of what another installation read."""


class Document(models.Model):
    """A path in a base, with its lifecycle, owner, band and authority. Its versions are sources."""

    id = models.CharField(primary_key=True, max_length=40)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="documents")
    path = models.CharField(max_length=1000)
    state = models.CharField(max_length=20, default="approved")
    state_code = models.CharField(max_length=40, blank=True, help_text="one of the reasons its last step may have")
    state_reason = models.TextField(blank=True, help_text="in the words of who took it")
    state_by = models.CharField(max_length=200, blank=True)
    state_at = models.DateTimeField(null=True)
    owner = models.CharField(max_length=200, blank=True)
    band = models.CharField(max_length=10, default="tenant")
    authoritative = models.BooleanField(default=False)
    review_by = models.CharField(max_length=10, blank=True, help_text="ISO day; governs until then, stale after it")
    cleared_source_id = models.CharField(max_length=40, blank=True, help_text="the version a person found harmless")
    current_source_id = models.CharField(max_length=40, blank=True, help_text="set when published")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["base", "path"], name="document_path_once")]


class Source(models.Model):
    """One version of a document. ``content_hash`` is of its original; under ``blob`` lies what it is read from.

    The two differ where a package brought it (``origin_kind`` is ``PACKED``): its original is not here, its reading is.
    """

    id = models.CharField(primary_key=True, max_length=40)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="sources")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="sources")
    parent = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="children")
    sequence = models.PositiveIntegerField(help_text="which version of its document, from 1")
    original_name = models.CharField(max_length=500)
    path = models.CharField(max_length=1000)
    source_type = models.CharField(max_length=20, blank=True)
    media_type = models.CharField(max_length=100, blank=True)
    content_hash = models.CharField(max_length=64)
    blob = models.CharField(max_length=64, db_index=True, help_text="name of the file in the blob store")
    size_bytes = models.BigIntegerField()
    processing_status = models.CharField(max_length=20, default="processing")
    pipeline_version = models.CharField(max_length=64, blank=True, help_text="what read it last; another rereads it")
    title = models.CharField(max_length=500, blank=True)
    document_date = models.CharField(max_length=40, blank=True)
    document_date_from = models.CharField(max_length=100, blank=True)
    duplicate_of = models.CharField(max_length=40, blank=True)
    superseded_by = models.CharField(max_length=40, blank=True)
    origin_id = models.CharField(max_length=40, blank=True)
    chunk_count = models.PositiveIntegerField(default=0)
    knowledge_count = models.PositiveIntegerField(default=0)
    encoding = models.CharField(max_length=40, blank=True)
    ledger = models.JSONField(default=dict)
    warnings = models.JSONField(default=list)
    registered_at = models.DateTimeField()
    last_verified_at = models.DateTimeField(null=True)
    origin_kind = models.CharField(max_length=20, default="upload")
    tries = models.PositiveSmallIntegerField(default=0, help_text="hard ends of workers while it was in hand")
    published_revision = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "content_hash"], name="version_once")]
        indexes = [
            models.Index(fields=["base", "processing_status"]),
            models.Index(fields=["base", "path", "id"]),
            models.Index(fields=["base", "content_hash"]),
        ]


class SourceText(models.Model):
    """The one stored text of a source and the parser's blocks over it (code point offsets)."""

    source = models.OneToOneField(Source, primary_key=True, on_delete=models.CASCADE, related_name="stored")
    text = models.TextField()
    text_hash = models.CharField(max_length=64)
    plain_hash = models.CharField(max_length=64, db_index=True, help_text="of the evidence words, for copies")
    blocks = models.JSONField()
    excluded = models.JSONField()
    metadata = models.JSONField()
    representation = models.CharField(max_length=60)


class Chunk(models.Model):
    """A searchable stretch of a source; its text is ``stored.text[start:end]``."""

    id = models.CharField(primary_key=True, max_length=40)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="chunks")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    location = models.CharField(max_length=500)
    locator = models.JSONField()
