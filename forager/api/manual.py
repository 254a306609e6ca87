"""Statements people make themselves: seen at once, resting on an excerpt or on nothing but their word."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, ValidationFailed
from forager.api.items import EXPANSIONS, present
from forager.api.statements import visible_item
from forager.extraction import lexicon, names
from forager.model import states
from forager.model.ids import digest, random_id, sha256_text, stable_id
from forager.model.models import Alias, Entity, Evidence, KnowledgeBase, Mention, ReviewEvent, Source, Statement
from forager.model.statements import MANUAL
from forager.review import views
from forager.search import fusion

VERSION = "1"
SUPPORT_OF = {"inference": "supported_inference", "hypothesis": "uncertain_inference"}
UNVERIFIED = "unverified_claim"
CONFIDENCE_OF = {"direct_fact": 0.9, "supported_inference": 0.72, "uncertain_inference": 0.55, UNVERIFIED: 0.3}


@endpoint(
    "POST", "/projects/<base>/knowledge", Scope.REVIEW,
    body=shapes.NewItem, answer=shapes.Item, status=201, errors=(409,),
)  # fmt: skip
def create_item(call: Call[None, shapes.NewItem], base: str) -> shapes.Item:
    """Makes a statement by hand; one without `evidence` is an unverified claim. The same one again is no second."""
    call.open_base(base)
    with transaction.atomic():
        locked = KnowledgeBase.objects.select_for_update().get(pk=base)
        row = _row(locked, call.body)
        known = Statement.objects.pending().filter(base=locked, item_id=row.item_id).first()
        if known is not None and known.content_hash != row.content_hash:
            raise Conflicting("This statement was made by hand before, with another standing. Nothing was recorded.")
        if known is None:
            _write(locked, row, call.body, call.body.get("actor", call.caller.name))
    return present(locked, [known or row], EXPANSIONS)[0]


@endpoint("PATCH", "/knowledge/<item>", Scope.REVIEW, body=shapes.ItemPatch, answer=shapes.Item, errors=(409,))
def patch_item(call: Call[None, shapes.ItemPatch], item: str) -> shapes.Item:
    """Changes what a statement made by hand rests on; the version before stays as history where it was published."""
    base, found = visible_item(call, item)
    call.open_base(base.pk)
    if found.extractor_name != MANUAL:
        raise Conflicting("Only statements made by hand can be changed; this one follows its documents.")
    with transaction.atomic():
        locked = KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        row = Statement.objects.pending().get(base=locked, item_id=item)
        before = _standing(row)
        row = _next_version(row, locked)
        _apply(locked, row, call.body)
        if _standing(row) != before or "evidence" in call.body:
            _keep(locked, row, "statement_changed", before, _standing(row), call.body.get("actor", call.caller.name),
                  call.body.get("notes", ""))  # fmt: skip
    return present(locked, [row], EXPANSIONS)[0]


def _next_version(row: Statement, base: KnowledgeBase) -> Statement:
    """A row of its own from this revision on; what was made in this very revision changes in its place."""
    if row.rev_from == base.current_revision:
        return row
    Statement.objects.filter(pk=row.pk).update(rev_to=base.current_revision)
    row.pk, row.rev_from, row.recorded_at = None, base.current_revision, timezone.now()
    return row


def _apply(base: KnowledgeBase, row: Statement, body: shapes.ItemPatch) -> None:
    if "confidence" in body:
        row.confidence = body["confidence"]
    if "valid_from" in body:
        row.effective_date = body["valid_from"] or ""
        row.frame = {**(row.frame or {}), "valid_from": row.effective_date}
    if "evidence" in body:
        epistemic = body.get("epistemic", "observation")
        row.support = _support(epistemic, rests=True)
        row.support_reason = _reason(epistemic, "a person", rests=True)
        _cite(base, row, body["evidence"])
        row.evidence_count = Evidence.objects.pending().filter(base=base, item_id=row.item_id).count()


def _standing(row: Statement) -> dict[str, Any]:
    return {"support": row.support, "confidence": row.confidence, "valid_from": row.effective_date}


def _support(epistemic: str, *, rests: bool) -> str:
    return SUPPORT_OF.get(epistemic, "direct_fact") if rests else UNVERIFIED


def _reason(epistemic: str, source_type: str, *, rests: bool) -> str:
    return f"made by hand as {epistemic}, from {source_type}" + ("" if rests else "; no excerpt was given")


def _row(base: KnowledgeBase, body: shapes.NewItem) -> Statement:
    key = f"{lexicon.fold(body['subject'])}|{lexicon.fold(body['attribute']).replace(' ', '_')}"
    evidence = body.get("evidence")
    epistemic = body.get("epistemic", "observation")
    support = _support(epistemic, rests=bool(evidence))
    valid_from = body.get("valid_from") or ""
    content: dict[str, Any] = {
        "type": "decision" if epistemic == "commitment" else "fact",
        "text": body["statement"],
        "title": body["statement"][:200],
        "subject": body["subject"],
        "subject_origin": MANUAL,
        "attribute_key": key,
        "attribute_value": body["value"],
        "frame": _frame(body, valid_from),
        "support": support,
        "support_reason": _reason(epistemic, body.get("source_type", "a person"), rests=bool(evidence)),
        "confidence": body.get("confidence", CONFIDENCE_OF[support]),
        "effective_date": valid_from,
        "extractor_name": MANUAL,
        "extractor_version": VERSION,
    }
    span = [evidence["source_id"], evidence["start"], evidence["end"]] if evidence else []
    return Statement(
        item_id=stable_id("ki", base.namespace, MANUAL, lexicon.fold(body["statement"]), key, body["value"]),
        base=base,
        recorded_at=timezone.now(),
        rev_from=base.current_revision,
        evidence_count=1 if evidence else 0,
        content_hash=digest(content, span, body.get("object_entity", "")),
        **content,
    )


def _frame(body: shapes.NewItem, valid_from: str) -> dict[str, Any]:
    return {
        "subject": body["subject"],
        "attribute": body["attribute"],
        "value_raw": body["value"],
        "value": body["value"],
        "unit": "",
        "polarity": "-" if body.get("polarity") == "negative" else "+",
        "modality": "",
        "qualifiers": [],
        "valid_from": valid_from,
        "valid_to": "",
        "speaker": "",
        "value_type": "entity" if "object_entity" in body else "text",
        "bound": "",
        "rule": MANUAL,
    }


def _write(base: KnowledgeBase, row: Statement, body: shapes.NewItem, actor: str) -> None:
    """Into the revision that is read now: a run that is under way neither shows nor holds it back."""
    if evidence := body.get("evidence"):
        _cite(base, row, evidence)
    for name in dict.fromkeys(n for n in (body["subject"], body.get("object_entity", "")) if n):
        _mention(base, row, name)
    _keep(base, row, "statement_made", {}, {"statement": row.text, "support": row.support}, actor)


def _keep(
    base: KnowledgeBase, row: Statement, action: str, before: dict[str, Any], after: dict[str, Any], actor: str,
    notes: str = "",
) -> None:  # fmt: skip
    """The row, its place in the index, and the event; readers see it from now on."""
    row.save()
    fusion.active().index_rows(base, [row.pk])
    ReviewEvent.objects.create(
        id=random_id("rve"),
        base=base,
        target_id=row.item_id,
        action=action,
        before=before,
        after=after,
        actor=actor,
        notes=notes,
        at=timezone.now(),
    )
    views.moved(base, cause=row.item_id)
    row.refresh_from_db()


def _cite(base: KnowledgeBase, row: Statement, given: shapes.NewEvidence) -> None:
    source = Source.objects.filter(pk=given["source_id"], base=base).select_related("stored", "document").first()
    if source is None or source.document.state in states.OFF or not hasattr(source, "stored"):
        raise ValidationFailed(fields={"evidence.source_id": "not a readable source of this base"})
    start, end, stored = given["start"], given["end"], source.stored
    excerpt = stored.text[start:end]
    if start >= end or end > len(stored.text) or not excerpt.strip():
        raise ValidationFailed(fields={"evidence": "start and end must enclose words of the stored text"})
    if any(start < e["end"] and e["start"] < end for e in stored.excluded):
        raise ValidationFailed(fields={"evidence": "this part of the source can be no evidence"})
    block = next((b for b in stored.blocks if b["start"] <= start < b["end"]), None)
    chunk = source.chunks.filter(start__lte=start, end__gt=start).first()
    evidence_id = stable_id("ev", base.namespace, row.item_id, source.pk, start, end)
    if Evidence.objects.pending().filter(base=base, evidence_id=evidence_id).exists():
        raise ValidationFailed(fields={"evidence": "the statement rests on this excerpt already"})
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


def _mention(base: KnowledgeBase, row: Statement, name: str) -> None:
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
