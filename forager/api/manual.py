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
from forager.extraction import lexicon
from forager.model.ids import stable_id
from forager.model.models import Evidence, KnowledgeBase, Statement
from forager.model.statements import MANUAL
from forager.review import by_hand
from forager.review.by_hand import Change, Span, SpanRefused

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
            actor, notes = call.body.get("actor", call.caller.name), call.body.get("notes", "")
            by_hand.keep(locked, row, Change("statement_changed", actor, before, _standing(row), notes))
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
        "extractor_version": by_hand.VERSION,
    }
    span = Span(evidence["source_id"], evidence["start"], evidence["end"]) if evidence else None
    return Statement(
        item_id=stable_id("ki", base.namespace, MANUAL, lexicon.fold(body["statement"]), key, body["value"]),
        base=base,
        recorded_at=timezone.now(),
        rev_from=base.current_revision,
        evidence_count=1 if evidence else 0,
        content_hash=by_hand.content_hash(content, span, body.get("object_entity", "")),
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
        by_hand.mention(base, row, name)
    by_hand.keep(base, row, Change("statement_made", actor, {}, {"statement": row.text, "support": row.support}))


def _cite(base: KnowledgeBase, row: Statement, given: shapes.NewEvidence) -> None:
    try:
        by_hand.cite(base, row, Span(given["source_id"], given["start"], given["end"]))
    except SpanRefused as refused:
        raise ValidationFailed(fields={refused.field: refused.message}) from refused
