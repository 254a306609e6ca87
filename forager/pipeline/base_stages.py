"""The six stages that look at the base as a whole. Each answers the warnings it has for the job's page."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from django.db import transaction
from django.db.models import Count, Min, Q
from django.utils import timezone

from forager.model import dialect
from forager.model.models import Evidence, Job, KnowledgeBase, Source, SourceText, Statement
from forager.model.statements import MANUAL
from forager.pipeline import conflict_pass, entity_pass, excerpts, lease, publication, signals, vocabularies
from forager.search import fusion

UNREADABLE = ("invalid", "quarantined", "deleted")
type Warnings = Sequence[dict[str, str]]
MANY, MUCH = 1000, 0.1
"""New statements, and their share in the base, from which the database should know of them."""


def before(job: Job) -> None:
    """Outside of any unit, before the stages."""
    base = KnowledgeBase.objects.get(pk=job.base_id)
    fresh = Statement.objects.filter(base=base, rev_from=base.next_revision).count()
    if fresh >= max(MANY, MUCH * base.knowledge_count):
        dialect.counted_anew()


def entity_resolution(job: Job) -> Warnings:
    entity_pass.run(_base(job))
    return ()


def look_for_conflicts(job: Job) -> conflict_pass.Looked:
    """Outside of any unit, so that nobody waits meanwhile; the lease is held and a cancel is seen."""

    def pulse() -> None:
        with transaction.atomic():
            lease.hold(job)

    return _look(KnowledgeBase.objects.get(pk=job.base_id), pulse)


def dedup_conflict(job: Job, looked: conflict_pass.Looked) -> Warnings:
    """Writes what was found; what changed since it was looked for is looked for again, while others wait."""
    base = _base(job)
    for version, successor in _successors(base).items():
        if version.superseded_by != successor:
            version.superseded_by = successor
            version.save(update_fields=["superseded_by"])
    mark_copies(base)
    conflict_pass.write(base, looked if looked.view == base.view_id else _look(base))
    return ()


def _look(base: KnowledgeBase, pulse: Callable[[], None] = lambda: None) -> conflict_pass.Looked:
    superseded = {version.pk for version, successor in _successors(base).items() if successor}
    with vocabularies.of(base):
        return conflict_pass.look(base, superseded, pulse)


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
    """Nothing is published that has no evidence, but what a person wrote; what is found is withdrawn and reported."""
    base = _base(job)
    resting = Evidence.objects.pending().filter(base=base).values("item_id")
    read = Statement.objects.pending().filter(base=base).exclude(extractor_name=MANUAL)
    bare = read.exclude(item_id__in=resting)
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


LOOKING: Mapping[str, Callable[[Job], conflict_pass.Looked]] = {"dedup_conflict": look_for_conflicts}
"""What a stage does before its unit; its unit then gets what came of it."""
STAGES: Mapping[str, Callable[..., Warnings]] = {
    "entity_resolution": entity_resolution,
    "dedup_conflict": dedup_conflict,
    "provenance": provenance,
    "validation": validation,
    "indexing": indexing,
    "export_availability": export_availability,
}


def _base(job: Job) -> KnowledgeBase:
    """Nobody rules, uploads or withdraws in between: what a stage writes goes together."""
    return KnowledgeBase.locked(job.base_id)


def _warning(code: str, message: str, locator: str) -> dict[str, str]:
    return {"code": code, "message": message, "locator": locator, "next_action": ""}


def _successors(base: KnowledgeBase) -> dict[Source, str]:
    """Every version of documents with several: "" for the newest readable one, its id for those before it."""
    several = Source.objects.filter(base=base).values("document").annotate(n=Count("pk")).filter(n__gt=1)
    by_document: dict[str, list[Source]] = defaultdict(list)
    for source in Source.objects.filter(document__in=[row["document"] for row in several]).order_by("sequence"):
        by_document[source.document_id].append(source)
    found: dict[Source, str] = {}
    for versions in by_document.values():
        newest = ([v for v in versions if v.processing_status not in UNREADABLE] or versions)[-1]
        found |= {version: newest.pk if version.sequence < newest.sequence else "" for version in versions}
    return found


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
