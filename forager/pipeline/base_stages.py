"""The six stages that look at the base as a whole. Each answers the warnings it has for the job's page."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from django.db.models import Count, Min, Q
from django.utils import timezone

from forager.model.models import Evidence, Job, KnowledgeBase, Source, SourceText, Statement
from forager.pipeline import conflict_pass, entity_pass, excerpts, publication, signals, vocabularies
from forager.search import fusion

UNREADABLE = ("invalid", "quarantined", "deleted")
type Warnings = Sequence[dict[str, str]]


def entity_resolution(job: Job) -> Warnings:
    entity_pass.run(_base(job))
    return ()


def dedup_conflict(job: Job) -> Warnings:
    base = _base(job)
    supersede_old_versions(base)
    mark_copies(base)
    with vocabularies.of(base):
        conflict_pass.run(base)
    return ()


def provenance(job: Job) -> Warnings:
    """Every excerpt of the revision to come is compared with its source's stored text."""
    base = _base(job)
    fresh = Evidence.objects.pending().filter(base=base, rev_from=base.next_revision)
    missing = excerpts.not_in_text(fresh)
    Evidence.objects.filter(pk__in=missing).update(missing_excerpt=True)
    Source.objects.filter(pk__in=fresh.order_by().values("source_id")).update(last_verified_at=timezone.now())
    if not missing:
        return ()
    broken = Source.objects.filter(evidence__in=missing).distinct().order_by("path").values_list("path", flat=True)
    return [_warning("excerpt_not_found", "An excerpt is not in the stored text.", path) for path in broken]


def validation(job: Job) -> Warnings:
    """Nothing is published that has no evidence; what is found is withdrawn and reported."""
    base = _base(job)
    resting = Evidence.objects.pending().filter(base=base).values("item_id")
    bare = Statement.objects.pending().filter(base=base).exclude(item_id__in=resting)
    found = list(bare.values_list("pk", flat=True))
    Statement.objects.filter(pk__in=found).update(rev_to=base.next_revision)
    signals.act(base, job)
    return [_warning("no_evidence", f"{len(found)} statements had no evidence and were left out.", "")] if found else ()


def indexing(job: Job) -> Warnings:
    fusion.active().index_pending(_base(job))
    return ()


def export_availability(job: Job) -> Warnings:
    publication.publish(_base(job), job)
    return ()


STAGES: Mapping[str, Callable[[Job], Warnings]] = {
    "entity_resolution": entity_resolution,
    "dedup_conflict": dedup_conflict,
    "provenance": provenance,
    "validation": validation,
    "indexing": indexing,
    "export_availability": export_availability,
}


def _base(job: Job) -> KnowledgeBase:
    return KnowledgeBase.objects.get(pk=job.base_id)


def _warning(code: str, message: str, locator: str) -> dict[str, str]:
    return {"code": code, "message": message, "locator": locator, "next_action": ""}


def supersede_old_versions(base: KnowledgeBase) -> None:
    """Of each document the newest readable version stands; the ones before it name it as their successor."""
    several = Source.objects.filter(base=base).values("document").annotate(n=Count("pk")).filter(n__gt=1)
    by_document: dict[str, list[Source]] = defaultdict(list)
    for source in Source.objects.filter(document__in=[row["document"] for row in several]).order_by("sequence"):
        by_document[source.document_id].append(source)
    for versions in by_document.values():
        readable = [v for v in versions if v.processing_status not in UNREADABLE] or versions
        for version in versions:
            successor = readable[-1].pk if version.sequence < readable[-1].sequence else ""
            if version.superseded_by != successor:
                version.superseded_by = successor
                version.save(update_fields=["superseded_by"])


def mark_copies(base: KnowledgeBase) -> None:
    """Sources of one text are one origin: the first by path; the others name it. Whatever order they came in."""
    texts = SourceText.objects.filter(source__base=base).exclude(plain_hash="")
    groups = texts.values("plain_hash").annotate(first=Min("source__path"), n=Count("pk"))
    shared = {row["plain_hash"]: row["first"] for row in groups.filter(n__gt=1)}
    firsts = Source.objects.filter(base=base, path__in=shared.values()).order_by("-sequence")
    twins = dict(firsts.values_list("path", "pk"))
    known = Source.objects.filter(base=base, stored__isnull=False)
    for pk, path, plain_hash, duplicate_of in known.filter(
        Q(stored__plain_hash__in=shared) | ~Q(duplicate_of="")
    ).values_list("pk", "path", "stored__plain_hash", "duplicate_of"):
        first = shared.get(plain_hash, path)
        twin = "" if first == path else twins[first]
        if twin != duplicate_of:
            Source.objects.filter(pk=pk).update(duplicate_of=twin)
