"""Statements a person makes, or brings from elsewhere: what they rest on, whom they name, and that they count at once.

They go into the revision that is read now: a run that is under way neither shows nor holds them back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from forager.extraction import lexicon, names
from forager.model import states
from forager.model.ids import digest, random_id, sha256_text, stable_id
from forager.model.models import Alias, Entity, Evidence, KnowledgeBase, Mention, ReviewEvent, Source, Statement
from forager.model.statements import MANUAL
from forager.review import views
from forager.search import fusion

VERSION = "1"


class SpanRefused(Exception):
    """These words can be no evidence; ``field`` says which part of the span is wrong."""

    def __init__(self, message: str, field: str = "evidence") -> None:
        super().__init__(message)
        self.message, self.field = message, field


@dataclass(frozen=True, slots=True)
class Span:
    """Code points into the stored text of a source."""

    source_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Change:
    """What the trail says of it."""

    action: str
    actor: str
    before: dict[str, Any]
    after: dict[str, Any]
    notes: str = ""


def content_hash(content: Mapping[str, Any], span: Span | None, object_entity: str) -> str:
    """Of all that was said; saying the same again is no second statement, saying it otherwise is refused."""
    return digest(content, [span.source_id, span.start, span.end] if span else [], object_entity)


def keep(base: KnowledgeBase, row: Statement, change: Change) -> None:
    """As ``write``, and readers see it from now on."""
    write(base, row, change)
    views.moved(base, cause=row.item_id)
    row.refresh_from_db()


def write(base: KnowledgeBase, row: Statement, change: Change) -> None:
    """The row, its place in the index, and the event; the view is still to be moved."""
    row.save()
    fusion.active().index_rows(base, [row.pk])
    ReviewEvent.objects.create(
        id=random_id("rve"),
        base=base,
        target_id=row.item_id,
        action=change.action,
        before=change.before,
        after=change.after,
        actor=change.actor,
        notes=change.notes,
        at=timezone.now(),
    )


def cite(base: KnowledgeBase, row: Statement, span: Span) -> None:
    """Rests the statement on these words; ``SpanRefused`` when they can be no evidence."""
    source = Source.objects.filter(pk=span.source_id, base=base).select_related("stored", "document").first()
    if source is None or source.document.state in states.OFF or not hasattr(source, "stored"):
        raise SpanRefused("not a readable source of this base", "evidence.source_id")
    start, end, stored = span.start, span.end, source.stored
    excerpt = stored.text[start:end]
    if start >= end or end > len(stored.text) or not excerpt.strip():
        raise SpanRefused("start and end must enclose words of the stored text")
    if any(start < e["end"] and e["start"] < end for e in stored.excluded):
        raise SpanRefused("this part of the source can be no evidence")
    block = next((b for b in stored.blocks if b["start"] <= start < b["end"]), None)
    chunk = source.chunks.filter(start__lte=start, end__gt=start).first()
    evidence_id = stable_id("ev", base.namespace, row.item_id, source.pk, start, end)
    if Evidence.objects.pending().filter(base=base, evidence_id=evidence_id).exists():
        raise SpanRefused("the statement rests on this excerpt already")
    Evidence.objects.create(
        evidence_id=evidence_id,
        base=base,
        item_id=row.item_id,
        source=source,
        chunk_id=chunk.pk if chunk else "",
        location=block["location"] if block else "",
        locator=block["locator"] if block else {"kind": "line"},
        start=start,
        end=end,
        excerpt=excerpt,
        excerpt_hash=sha256_text(excerpt),
        extractor_name=MANUAL,
        extractor_version=VERSION,
        confidence=row.confidence,
        rev_from=base.current_revision,
    )


def mention(base: KnowledgeBase, row: Statement, name: str) -> None:
    """Of the entity that goes by this name; one is made where nothing does."""
    folded, kind = lexicon.fold(name), names.name_type(name)
    known = Alias.objects.pending().filter(base=base, folded=folded).order_by("entity_id").first()
    entity_id = known.entity_id if known else stable_id("ent", base.namespace, kind, folded)
    shared = {"base": base, "rev_from": base.current_revision}
    if known is None:
        Entity.objects.create(entity_id=entity_id, type=kind, canonical_name=name, confidence=1.0, **shared)
        told = {"alias": name, "folded": folded, "kind": "name", "reason": "as written", "confidence": 1.0}
        Alias.objects.create(entity_id=entity_id, **told, **shared)
    Mention.objects.create(item_id=row.item_id, name=name, type=kind, facts=[], entity_id=entity_id, **shared)
    for entity in Entity.objects.pending().filter(base=base, entity_id=entity_id):
        entity.mention_count += 1
        entity.knowledge_count += 1
        entity.save(update_fields=["mention_count", "knowledge_count"])
