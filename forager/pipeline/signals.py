"""What the engine acts on by itself before a revision is published: signs of poisoning, a changed form, wrong access.

It only withholds or marks; each act is a step of the lifecycle with its reason, and a person can take it back.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

import structlog
from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from forager.model.models import Conflict, Document, Evidence, Job, KnowledgeBase, Source, SourceText
from forager.reading import orders
from forager.review import lifecycle

log = structlog.get_logger("forager.signals")
ENGINE = "engine"
CONTRADICTIONS = 3
REPEATS = 5
MASS_KEYS = 20
MASS_SHARE = 0.9
HEADS_LOST = 0.5
UNREADABLE = ("invalid", "quarantined")


def act(base: KnowledgeBase, job: Job) -> None:
    """Looks at what this run read or an earlier one left unpublished, and at who may read what."""
    read = Q(checkpoints__job_id=job.pk) | Q(published_revision=None, processing_status="processing")
    fresh = Source.objects.filter(read, base=base).exclude(pipeline_version="").distinct()
    for source in fresh.select_related("document").order_by("path", "sequence"):
        document = source.document
        if source.processing_status in UNREADABLE:
            if source.sequence > 1:
                _degrade(document, f"Version {source.sequence} cannot be read; the one before it stands.")
            continue
        if document.cleared_source_id != source.pk and (why := _poison(base, source)):
            _suspend(document, "poisoning_signal", why)
        elif lost := _lost_heads(source):
            _degrade(document, f"The new version has no columns {', '.join(lost)} any more.")
        elif document.state == "degraded" and (document.state_by, document.state_code) == (ENGINE, "schema_change"):
            _step(document, "active", "caught_up", "The newest version reads in the old form again.")
    for document in _too_open(base):
        _suspend(document, "permission_mismatch", "It is open to more people than what it came in.")


def one_stale() -> bool:
    """Marks a document whose day of review is past, or clears one whose day was moved. False when there was none."""
    today = timezone.now().date().isoformat()
    over = Document.objects.filter(state="active", review_by__lt=today).exclude(review_by="").first()
    if over is not None:
        return _step(over, "degraded", "stale", f"It was to be reviewed by {over.review_by}.")
    mine = Document.objects.filter(state="degraded", state_by=ENGINE, state_code="stale")
    again = mine.exclude(review_by__lt=today, review_by__gt="").first()
    return again is not None and _step(again, "active", "caught_up", "Its day of review is ahead again.")


def _poison(base: KnowledgeBase, source: Source) -> str:
    """Why this looks like somebody steering the base; "" when it does not."""
    if any(w["code"] == orders.CODE for w in source.warnings):
        if (count := _contradicted(base, source)) >= CONTRADICTIONS:
            return f"It gives orders to programs and contradicts other documents on {count} attributes."
        if (times := _most_repeated(source)) >= REPEATS:
            return f"It gives orders to programs and says one thing {times} times."
    changed, shared = _changed_values(source)
    if shared >= MASS_KEYS and changed >= shared * MASS_SHARE:
        return f"The new version says {changed} of {shared} values otherwise than the one before."
    return ""


def _contradicted(base: KnowledgeBase, source: Source) -> int:
    conflicts = Conflict.objects.pending().filter(base=base, sides__members__source_id=source.pk).distinct()
    found = 0
    for conflict in conflicts.exclude(type="duplicate_source").prefetch_related("sides__members"):
        sides = [{m.document_id for m in side.members.all()} for side in conflict.sides.all()]
        mine = sum(side == {source.document_id} for side in sides)
        found += bool(mine) and any(source.document_id not in side for side in sides)
    return found


def _most_repeated(source: Source) -> int:
    items = Evidence.objects.pending().filter(source=source).exclude(claims=[]).values_list("item_id", flat=True)
    return max(Counter(items).values(), default=0)


def _changed_values(source: Source) -> tuple[int, int]:
    """How many attributes the version before had, too, and how many of those have no value in common."""
    before = _before(source)
    if before is None:
        return 0, 0
    old, new = _values(before), _values(source)
    shared = old.keys() & new.keys()
    return sum(not old[key] & new[key] for key in shared), len(shared)


def _before(source: Source) -> Source | None:
    if source.sequence == 1:
        return None
    earlier = Source.objects.filter(document=source.document_id, sequence__lt=source.sequence)
    return earlier.exclude(processing_status__in=UNREADABLE).order_by("-sequence").first()


def _values(source: Source) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for claims in Evidence.objects.pending().filter(source=source).values_list("claims", flat=True):
        for claim in claims:
            if claim["key"]:
                found[claim["key"]].add(claim["value"])
    return found


def _lost_heads(source: Source) -> list[str]:
    """Heads of the tables before that are gone, when at least half of them are."""
    before = _before(source)
    if before is None:
        return []
    old, new = _heads(before), _heads(source)
    lost = sorted(old - new)
    return lost if old and len(lost) >= len(old) * HEADS_LOST else []


def _heads(source: Source) -> set[str]:
    stored = SourceText.objects.filter(pk=source.pk).values_list("blocks", flat=True).first() or []
    rows = (b for b in stored if b["kind"] == "table_row")
    return {" ".join(cell["head"].casefold().split()) for row in rows for cell in row["cells"] if cell["head"].strip()}


def _too_open(base: KnowledgeBase) -> Iterator[Document]:
    inside = Document.objects.filter(base=base, band="general", sources__parent__document__band="tenant")
    yield from inside.exclude(state__in=("suspended", "revoked", "retiring", "deleted")).distinct().order_by(F("path"))


def _suspend(document: Document, code: str, why: str) -> None:
    log.warning("signal", document=document.pk, code=code)
    if settings.SUSPEND_ON_SIGNALS:
        _step(document, "suspended", code, why)


def _degrade(document: Document, why: str) -> None:
    _step(document, "degraded", "schema_change", why)


def _step(document: Document, state: str, code: str, why: str) -> bool:
    """Takes the step where it is permitted; a document a person has dealt with otherwise stays as it is."""
    try:
        lifecycle.change_state(document.pk, lifecycle.Change(state, ENGINE, why, code, by=ENGINE))
    except lifecycle.StepRefused:
        return False
    return True
