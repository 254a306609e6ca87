"""Deleting what a document said: bytes, texts, excerpts, statements and values go; digests and a tombstone stay.

Old backups are out of reach, and so is what left the engine before.
"""

from collections.abc import Iterable
from itertools import batched
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from forager.model import blobs, dialect
from forager.model.models import (
    Alias,
    Chunk,
    Conflict,
    ConflictMember,
    Decision,
    Document,
    Entity,
    Evidence,
    Export,
    Import,
    KeptAnswer,
    KnowledgeBase,
    Mention,
    Source,
    SourceText,
    Statement,
)
from forager.review import anchors, counting
from forager.search import fusion

BATCH = 400
HANDED_IN = "A document was deleted after this package was handed in. Load the package again."
GONE = "A document in it was deleted on {day:%Y-%m-%d}. Make a new one."


def rows_of(document: Document) -> tuple[str, ...]:
    """Inside the caller's transaction. Answers the digests of bytes that may go once it is committed."""
    dialect.erase_thoroughly()
    sources = _with_children(document)
    documents = {document.pk, *(s.document_id for s in sources)}
    digests = tuple({s.blob for s in sources})
    evidence = Evidence.objects.filter(source__in=[s.pk for s in sources])
    items = set(evidence.values_list("item_id", flat=True))
    evidence.delete()
    _statements(document, items)
    counting.evidence(document.base, items)
    _conflicts(documents)
    _decisions(document, documents)
    for model in (Chunk, SourceText):
        model.objects.filter(source__in=[s.pk for s in sources]).delete()
    for source in sources:
        _tombstone(source)
    _ended(document, documents)
    fusion.active().forget_sources(document.base, [s.pk for s in sources])
    KeptAnswer.objects.all().delete()
    _exports(document, documents)
    _imports(document)
    return digests


def bytes_of(digests: Iterable[str]) -> None:
    """Removes blobs no living source has; old pages are emptied, where the words would lie on."""
    for digest in digests:
        if not Source.objects.filter(blob=digest).exclude(processing_status="deleted").exists():
            blobs.path_of(digest).unlink(missing_ok=True)
    if digests:
        dialect.erased()


def _with_children(document: Document) -> list[Source]:
    """Every version, and whatever lay in them."""
    found = list(Source.objects.filter(document=document))
    layer = found
    while layer:
        layer = list(Source.objects.filter(parent__in=[s.pk for s in layer]))
        found += layer
    return found


def _statements(document: Document, items: set[str]) -> None:
    for some in batched(sorted(items), BATCH):
        resting = Evidence.objects.filter(base=document.base_id, item_id__in=some).values_list("item_id", flat=True)
        bare = set(some) - set(resting)
        rows = Statement.objects.filter(base=document.base_id, item_id__in=bare)
        fusion.active().forget_statements(document.base, list(rows.values_list("pk", flat=True)))
        rows.delete()
        mentions = Mention.objects.filter(base=document.base_id, item_id__in=bare)
        named = set(mentions.exclude(entity_id="").values_list("entity_id", flat=True))
        mentions.delete()
        _names(document, named)


def _names(document: Document, entities: set[str]) -> None:
    """Entities nothing speaks of any more, with every name they went by."""
    left = Mention.objects.filter(base=document.base_id, entity_id__in=entities).values_list("entity_id", flat=True)
    nobody = entities - set(left)
    for model in (Entity, Alias):
        model.objects.filter(base=document.base_id, entity_id__in=nobody).delete()


def _conflicts(documents: set[str]) -> None:
    members = ConflictMember.objects.filter(document_id__in=documents)
    Conflict.objects.filter(pk__in=members.values("side__conflict")).delete()


def _decisions(document: Document, documents: set[str]) -> None:
    """Rulings stay with the digests they were made on; the values told by what is deleted do not."""
    for decision in Decision.objects.filter(base=document.base_id):
        sides = decision.anchor["sides"]
        mine = [s for s in sides if s["evidence"] and all(d in documents for d, _ in anchors.keys(s))]
        if mine:
            for side in mine:
                side["value"] = ""
            decision.save(update_fields=["anchor"])


def _ended(document: Document, documents: set[str]) -> None:
    """What lay in it ends with it, for its reason; none of them is counted from the next read."""
    Document.objects.filter(pk__in=documents).update(
        state="deleted",
        current_source_id="",
        state_code=document.state_code,
        state_reason=document.state_reason,
        state_by=document.state_by,
        state_at=document.state_at,
    )
    left = Source.objects.filter(base=document.base_id).exclude(processing_status="deleted").count()
    KnowledgeBase.objects.filter(pk=document.base_id).update(source_count=left)


def _tombstone(source: Source) -> None:
    source.processing_status = "deleted"
    source.document_date = source.document_date_from = ""
    source.title, source.warnings, source.ledger = "", [], {}
    source.knowledge_count = source.chunk_count = 0
    source.duplicate_of = source.superseded_by = ""
    source.save()
    source.checkpoints.all().delete()


def _exports(document: Document, documents: set[str]) -> None:
    """Files that may hold words of these; one that is being written sees for itself what went meanwhile."""
    made = Export.objects.filter(base=document.base_id, status="completed").values_list("pk", "documents")
    holding = [pk for pk, held in made.iterator() if held is None or not documents.isdisjoint(held)]
    for pk in holding:
        (Path(settings.DATA_DIR) / "exports" / f"{pk}.zip").unlink(missing_ok=True)
    why = GONE.format(day=document.state_at or timezone.now())
    Export.objects.filter(pk__in=holding).update(status="expired", error=why)


def _imports(document: Document) -> None:
    """Packages nobody has taken in yet: they may hold its words."""
    waiting = Import.objects.filter(base=document.base_id, status__in=("checking", "ready"))
    for package in waiting:
        (Path(settings.DATA_DIR) / "imports" / f"{package.pk}.zip").unlink(missing_ok=True)
    waiting.update(status="failed", error=HANDED_IN)
