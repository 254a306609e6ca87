"""The records of a base as plain rows, in a fixed order: what every export is made of.

``logical`` leaves out what differs between two runs over the same documents: times, jobs, attempts.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from forager.model import states
from forager.model.models import (
    Alias,
    Conflict,
    Decision,
    Document,
    Entity,
    Evidence,
    KnowledgeBase,
    Mention,
    Source,
    Statement,
)

type Rows = Iterator[dict[str, Any]]
TIMES = ("recorded_at", "registered_at", "last_verified_at", "detected_at", "decided_at", "created_at")
BY_CHANCE: Mapping[str, tuple[str, ...]] = {"decisions": ("id",)}
"""Ids that are not made from content."""


def kinds() -> Mapping[str, Callable[[KnowledgeBase], Rows]]:
    return {
        "documents": _documents,
        "sources": _sources,
        "statements": _statements,
        "evidence": _evidence,
        "entities": _entities,
        "conflicts": _conflicts,
        "decisions": _decisions,
    }


def rows(base: KnowledgeBase, kind: str, *, logical: bool) -> Rows:
    for row in kinds()[kind](base):
        yield {k: v for k, v in row.items() if not (logical and k in (*TIMES, *BY_CHANCE.get(kind, ())))}


def _documents(base: KnowledgeBase) -> Rows:
    for d in Document.objects.filter(base=base).exclude(state="deleted").order_by("path").iterator():
        yield {
            "id": d.pk, "path": d.path, "state": d.state, "owner": d.owner, "band": d.band,
            "authoritative": d.authoritative, "review_by": d.review_by, "current_source_id": d.current_source_id,
            "created_at": d.created_at.isoformat(),
        }  # fmt: skip


def _sources(base: KnowledgeBase) -> Rows:
    found = Source.objects.filter(base=base).exclude(processing_status="deleted").exclude(document__state="deleted")
    for s in found.order_by("path", "id").select_related("stored").iterator():
        yield {
            "id": s.pk, "document_id": s.document_id, "parent_id": s.parent_id, "sequence": s.sequence,
            "path": s.path, "title": s.title, "source_type": s.source_type, "media_type": s.media_type,
            "content_hash": s.content_hash, "size_bytes": s.size_bytes, "processing_status": s.processing_status,
            "document_date": s.document_date, "document_date_from": s.document_date_from,
            "duplicate_of": s.duplicate_of, "superseded_by": s.superseded_by, "origin_id": s.origin_id,
            "knowledge_count": s.knowledge_count, "chunk_count": s.chunk_count, "encoding": s.encoding,
            "warnings": s.warnings, "text_hash": s.stored.text_hash if hasattr(s, "stored") else "",
            "registered_at": s.registered_at.isoformat(),
        }  # fmt: skip


def _statements(base: KnowledgeBase) -> Rows:
    entities: dict[str, set[str]] = {}
    for item, entity in Mention.objects.at(base.current_revision).filter(base=base).values_list("item_id", "entity_id"):
        entities.setdefault(item, set()).add(entity)
    visible = Statement.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")
    for s in visible.order_by("item_id").iterator():
        yield {
            "id": s.item_id, "type": s.type, "statement": s.text, "subject": s.subject,
            "subject_origin": s.subject_origin, "attribute_key": s.attribute_key, "attribute_value": s.attribute_value,
            "frame": s.frame, "support": s.support, "support_reason": s.support_reason, "confidence": s.confidence,
            "status": s.status, "superseded_by": s.superseded_by, "effective_date": s.effective_date,
            "entity_ids": sorted(entities.get(s.item_id, ())), "evidence_count": s.evidence_count, "origins": s.origins,
            "extractor_name": s.extractor_name, "extractor_version": s.extractor_version, "entries": s.entries,
            "flags": s.flags, "recorded_at": s.recorded_at.isoformat(),
        }  # fmt: skip


def _evidence(base: KnowledgeBase) -> Rows:
    shown = Statement.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")
    found = Evidence.objects.at(base.current_revision).filter(base=base, item_id__in=shown.values("item_id"))
    found = found.exclude(source__document__state__in=states.OFF).exclude(missing_excerpt=True)
    for e in found.order_by("evidence_id").iterator():
        yield {
            "id": e.evidence_id, "statement_id": e.item_id, "source_id": e.source_id, "location": e.location,
            "locator": e.locator, "start": e.start, "end": e.end, "excerpt": e.excerpt, "excerpt_hash": e.excerpt_hash,
        }  # fmt: skip


def _entities(base: KnowledgeBase) -> Rows:
    aliases: dict[str, list[dict[str, Any]]] = {}
    for a in Alias.objects.at(base.current_revision).filter(base=base).exclude(kind="name").order_by("folded"):
        aliases.setdefault(a.entity_id, []).append({"alias": a.alias, "kind": a.kind, "reason": a.reason})
    told = Entity.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")
    for e in told.order_by("entity_id").iterator():
        yield {
            "id": e.entity_id, "type": e.type, "canonical_name": e.canonical_name,
            "aliases": aliases.get(e.entity_id, []), "knowledge_count": e.knowledge_count,
        }  # fmt: skip


def _conflicts(base: KnowledgeBase) -> Rows:
    found = Conflict.objects.at(base.current_revision).filter(base=base).exclude(status="moot")
    found = found.prefetch_related("sides__members")
    for c in found.order_by("conflict_id"):
        sides = [
            {
                "id": s.side_id, "value": s.value, "origins": s.origins, "digest": s.digest,
                "members": sorted([m.item_id, m.source_id] for m in s.members.all()),
            }
            for s in c.sides.all()
        ]  # fmt: skip
        yield {
            "id": c.conflict_id, "type": c.type, "attribute_key": c.attribute_key, "status": c.status,
            "certainty": c.certainty, "description": c.description, "why": c.why, "suggestion": c.suggestion,
            "sides": sides, "digest": c.digest,
            "detected_at": c.detected_at.isoformat(),
        }  # fmt: skip


def _decisions(base: KnowledgeBase) -> Rows:
    for d in Decision.objects.filter(base=base).exclude(state="awaiting").order_by("decided_at", "id"):
        yield {
            "id": d.pk, "kind": d.kind, "action": d.action, "anchor": d.anchor, "winner": d.winner,
            "discriminator": d.discriminator, "assignee": d.assignee, "notes": d.notes, "actor": d.actor,
            "state": d.state, "target_id": d.target_id, "decided_at": d.decided_at.isoformat(),
        }  # fmt: skip
