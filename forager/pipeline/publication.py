"""Publishing: records, evidence and index agree, and one commit makes all of it visible."""

from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from forager.model import feed
from forager.model.ids import digest, stable_id
from forager.model.models import Document, Evidence, Job, KnowledgeBase, Revision, Source, Statement
from forager.review import counting, merging, standing


def publish(base: KnowledgeBase, job: Job) -> Revision | None:
    """Inside the caller's transaction: flips the revision, settles statuses and counters. None when nothing changed."""
    sequence = base.next_revision
    added = Statement.objects.filter(base=base, rev_from=sequence)
    withdrawn = Statement.objects.filter(base=base, rev_to=sequence)
    changed = _has_changes(base, sequence)
    _settle_sources(base, sequence)
    if not changed:
        standing.apply(base)
        merging.apply(base)
        return None
    revision = Revision(
        id=stable_id("rev", base.namespace, sequence),
        base=base,
        sequence=sequence,
        job=job,
        added=added.count(),
        changed=added.filter(item_id__in=withdrawn.values("item_id")).count(),
        superseded=0,
        withdrawn=withdrawn.exclude(item_id__in=added.values("item_id")).count(),
        published_at=timezone.now(),
    )
    base.current_revision = sequence
    base.last_published_at = revision.published_at
    base.save(update_fields=["current_revision", "last_published_at"])
    _count(base)
    standing.apply(base)
    merging.apply(base)
    revision.logical_content_hash = _content_hash(base)
    revision.superseded = Statement.objects.at(sequence).filter(base=base, status="superseded").count()
    revision.save()
    feed.announce(
        base,
        feed.PUBLISHED,
        revision_id=revision.pk,
        logical_content_hash=revision.logical_content_hash,
        job_id=job.pk,
        causation_id=job.pk,
    )
    return revision


def _has_changes(base: KnowledgeBase, sequence: int) -> bool:
    """Whether any revisioned row begins or ends with this revision."""
    related = (
        base.statements,
        base.evidence,
        base.entities,
        base.aliases,
        base.mentions,
        base.conflicts,
        base.merge_candidates,
    )
    return any(rows.filter(rev_from=sequence).exists() or rows.filter(rev_to=sequence).exists() for rows in related)


def _settle_sources(base: KnowledgeBase, sequence: int) -> None:
    read = Source.objects.filter(base=base, processing_status="processing").exclude(pipeline_version="")
    read.update(processing_status="indexed", published_revision=sequence)
    Source.objects.filter(base=base, processing_status="indexed").exclude(superseded_by="").update(
        processing_status="stale"
    )
    standing = Source.objects.filter(document=OuterRef("pk"), superseded_by="").order_by("-sequence").values("pk")[:1]
    moved = Document.objects.filter(base=base).annotate(now=Subquery(standing)).exclude(now=None)
    moved.exclude(current_source_id=F("now")).update(current_source_id=Subquery(standing))
    Document.objects.filter(base=base, state="approved").exclude(current_source_id="").update(state="active")


def _count(base: KnowledgeBase) -> None:
    base.source_count = Source.objects.filter(base=base).exclude(processing_status="deleted").count()
    base.save(update_fields=["source_count"])
    touched = set(
        Evidence.objects.filter(base=base, rev_from=base.current_revision).values_list("item_id", flat=True)
    ) | set(Evidence.objects.filter(base=base, rev_to=base.current_revision).values_list("item_id", flat=True))
    counting.evidence(base, touched)


def _content_hash(base: KnowledgeBase) -> str:
    """Of what is said and how it stands, in id order: equal for equal knowledge, whenever it was made."""
    rows = Statement.objects.at(base.current_revision).filter(base=base).order_by("item_id")
    return digest(list(rows.values_list("item_id", "status", "content_hash")))
