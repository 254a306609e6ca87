"""Statements (the wire calls them knowledge items), alone, in lists, and whole in batches."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import QuerySet

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339
from forager.model.models import Conflict, ConflictMember, Entity, Evidence, KnowledgeBase, Mention, Statement

MAX_IDS = 50
EXPANSIONS = frozenset({"evidence", "entities", "conflicts"})
FACETS = ("type", "support", "status", "attribute_key", "review_status")
HIDDEN = ("withheld",)


@endpoint("GET", "/projects/<base>/knowledge", Scope.READ, query=shapes.ItemQuery, answer=shapes.Page)
def list_items(call: Call[shapes.ItemQuery, None], base: str) -> shapes.Page:
    """Statements by facet, or up to 50 whole ones by `ids` with `expand`."""
    row = call.base(base)
    expand = _expand(call.query.get("expand", ""))
    rows = _faceted(row, call.query)
    if "ids" in call.query:
        return _batch(row, rows, call.query["ids"], expand)
    return paginate(
        rows,
        ("item_id",),
        lambda found: present(row, found, expand),
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


@endpoint("GET", "/knowledge/<item>", Scope.READ, answer=shapes.Item)
def get_item(call: Call[None, None], item: str) -> shapes.Item:
    """One statement, whole."""
    base, row = _item(call, item)
    return present(base, [row], EXPANSIONS)[0]


@endpoint("GET", "/knowledge/<item>/evidence", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_evidence(call: Call[shapes.ListQuery, None], item: str) -> shapes.Page:
    """The excerpts a statement rests on."""
    base, row = _item(call, item)
    return paginate(
        Evidence.objects.at(base.current_revision)
        .filter(base=base, item_id=row.item_id)
        .select_related("source__stored"),
        ("evidence_id",),
        lambda found: [evidence_shape(e) for e in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=base.view_id,
    )


def _item[Q](call: Call[Q, None], item: str) -> tuple[KnowledgeBase, Statement]:
    found = Statement.objects.filter(item_id=item).select_related("base").order_by("-rev_from").first()
    if found is None:
        raise NotFound
    call.fence(found.base_id)
    row = visible(found.base).filter(item_id=item).first()
    if row is None:
        raise NotFound
    return found.base, row


def visible(base: KnowledgeBase) -> QuerySet[Statement]:
    return Statement.objects.at(base.current_revision).filter(base=base).exclude(status__in=HIDDEN)


def _expand(text: str) -> frozenset[str]:
    asked = frozenset(part for part in text.split(",") if part)
    if asked - EXPANSIONS:
        raise ValidationFailed(fields={"expand": "takes evidence, entities and conflicts"})
    return asked


def _faceted(base: KnowledgeBase, query: shapes.ItemQuery) -> QuerySet[Statement]:
    revision = base.current_revision
    rows = visible(base)
    given = {name: value for name, value in query.items() if name in FACETS}
    rows = rows.filter(**given)
    evidence = Evidence.objects.at(revision).filter(base=base)
    if "source" in query:
        rows = rows.filter(item_id__in=evidence.filter(source=query["source"]).values("item_id"))
    if "document" in query:
        rows = rows.filter(item_id__in=evidence.filter(source__document=query["document"]).values("item_id"))
    if "band" in query:
        rows = rows.filter(item_id__in=evidence.filter(source__document__band=query["band"]).values("item_id"))
    if "entity" in query:
        mentions = Mention.objects.at(revision).filter(base=base, entity_id=query["entity"])
        rows = rows.filter(item_id__in=mentions.values("item_id"))
    return rows


def _batch(base: KnowledgeBase, rows: QuerySet[Statement], text: str, expand: frozenset[str]) -> shapes.Page:
    """In the order asked; what is unknown, foreign or hidden is simply not there."""
    ids = list(dict.fromkeys(part for part in text.split(",") if part))
    if len(ids) > MAX_IDS:
        raise ValidationFailed(fields={"ids": f"at most {MAX_IDS} at a time"})
    found = {row.item_id: row for row in rows.filter(item_id__in=ids)}
    items = present(base, [found[i] for i in ids if i in found], expand)
    return {"items": items, "next_cursor": None, "page_size": len(ids), "total": len(items), "view_id": base.view_id}


def present(base: KnowledgeBase, rows: Sequence[Statement], expand: frozenset[str]) -> list[shapes.Item]:
    """The wire's items for some rows, with a fixed number of queries whatever their number."""
    ids = [row.item_id for row in rows]
    revision = base.current_revision
    evidence: dict[str, list[Evidence]] = defaultdict(list)
    found = Evidence.objects.at(revision).filter(base=base, item_id__in=ids).order_by("evidence_id")
    related = "source__stored" if "evidence" in expand else "source"
    for one in found.select_related(related, "source__document"):
        evidence[one.item_id].append(one)
    entities = _entity_ids(base, ids)
    items = [_shape(row, evidence[row.item_id], entities[row.item_id]) for row in rows]
    if "evidence" in expand:
        for item in items:
            item["evidence"] = [evidence_shape(e) for e in evidence[item["id"]]]
    if "entities" in expand:
        _add_entities(base, items)
    if "conflicts" in expand:
        _add_conflicts(base, items)
    return items


def _entity_ids(base: KnowledgeBase, ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    mentions = Mention.objects.at(base.current_revision).filter(base=base, item_id__in=ids).exclude(entity_id="")
    for item, entity in mentions.values_list("item_id", "entity_id"):
        found[item].add(entity)
    return defaultdict(list, {item: sorted(entities) for item, entities in found.items()})


def _add_entities(base: KnowledgeBase, items: Sequence[shapes.Item]) -> None:
    ids = {entity for item in items for entity in item["entity_ids"]}
    rows = Entity.objects.at(base.current_revision).filter(base=base, entity_id__in=ids)
    by_id: dict[str, shapes.EntityRef] = {
        e.entity_id: {"id": e.entity_id, "canonical_name": e.canonical_name, "type": e.type} for e in rows
    }
    for item in items:
        item["entities"] = [by_id[i] for i in item["entity_ids"] if i in by_id]


def _add_conflicts(base: KnowledgeBase, items: Sequence[shapes.Item]) -> None:
    standing = Conflict.objects.at(base.current_revision).filter(base=base)
    members = ConflictMember.objects.filter(
        side__conflict__in=standing, item_id__in=[item["id"] for item in items]
    ).values_list("item_id", "side__conflict__conflict_id")
    found: dict[str, set[str]] = defaultdict(set)
    for item_id, conflict in members:
        found[item_id].add(conflict)
    for item in items:
        item["conflict_ids"] = sorted(found[item["id"]])


def _shape(row: Statement, evidence: Sequence[Evidence], entities: list[str]) -> shapes.Item:
    bands = {e.source.document.band for e in evidence}
    return {
        "id": row.item_id,
        "project_id": row.base_id,
        "type": row.type,
        "subject": row.subject,
        "subject_origin": row.subject_origin,
        "title": row.title,
        "statement": row.text,
        "attribute_key": row.attribute_key or None,
        "attribute_value": row.attribute_value or None,
        "frame": _frame(row),
        "support": row.support,
        "support_reason": row.support_reason,
        "confidence": row.confidence,
        "status": row.status,
        "scope": "general" if bands == {"general"} else "tenant",
        "entity_ids": entities,
        "effective_date": row.effective_date or None,
        "recorded_at": rfc3339(row.recorded_at),
        "extractor_name": row.extractor_name,
        "extractor_version": row.extractor_version,
        "review_status": row.review_status,
        "superseded_by": row.superseded_by or None,
        "evidence_count": row.evidence_count,
        "origins": row.origins,
        "document_ids": sorted({e.source.document_id for e in evidence}),
        "source_ids": sorted({e.source_id for e in evidence}),
    }


def _frame(row: Statement) -> shapes.Frame | None:
    frame = row.frame
    if frame is None:
        return None
    return {
        "subject": frame["subject"],
        "attribute": frame["attribute"],
        "value_raw": frame["value_raw"],
        "value": frame["value"],
        "unit": frame["unit"],
        "polarity": frame["polarity"],
        "modality": frame["modality"],
        "qualifiers": frame["qualifiers"],
        "valid_from": frame["valid_from"] or None,
        "valid_to": frame["valid_to"] or None,
        "speaker": frame["speaker"] or None,
    }


def evidence_shape(row: Evidence) -> shapes.Evidence:
    source = row.source
    return {
        "id": row.evidence_id,
        "target_id": row.item_id,
        "document_id": source.document_id,
        "source_id": source.pk,
        "source_name": source.original_name,
        "source_path": source.path,
        "source_type": source.source_type,
        "version": source.content_hash,
        "text_hash": source.stored.text_hash,
        "representation": source.stored.representation,
        "segmentation": f"blocks/{row.extractor_version}",
        "chunk_id": row.chunk_id,
        "location": row.location,
        "locator": row.locator,
        "start": row.start,
        "end": row.end,
        "excerpt": row.excerpt,
        "excerpt_hash": row.excerpt_hash,
        "extractor_name": row.extractor_name,
        "extractor_version": row.extractor_version,
        "model_name": None,
        "confidence": row.confidence,
        "missing_excerpt": row.missing_excerpt,
    }
