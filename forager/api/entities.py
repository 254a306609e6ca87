"""Entities with the names they go by."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import Count, Min, QuerySet

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound
from forager.api.items import visible
from forager.api.paging import paginate
from forager.extraction import lexicon
from forager.model.models import Alias, Entity, KnowledgeBase, Mention, Statement

NEIGHBOURS = 40


@endpoint("GET", "/projects/<base>/entities", Scope.READ, query=shapes.EntityQuery, answer=shapes.Page)
def list_entities(call: Call[shapes.EntityQuery, None], base: str) -> shapes.Page:
    """The entities of a base by name; `q` finds any of their names by its beginning."""
    row = call.base(base)
    revision = row.current_revision
    rows = _told(row)
    if q := call.query.get("q", "").strip():
        aliases = Alias.objects.at(revision).filter(base=row, folded__contains=lexicon.fold(q))
        rows = rows.filter(entity_id__in=aliases.values("entity_id"))
    return paginate(
        rows,
        ("canonical_name", "entity_id"),
        lambda found: _shapes(row, found),
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


@endpoint("GET", "/entities/<entity>", Scope.READ, answer=shapes.Entity)
def get_entity(call: Call[None, None], entity: str) -> shapes.Entity:
    """One entity."""
    base, row = visible_entity(call, entity)
    return _shapes(base, [row])[0]


@endpoint("GET", "/entities/<entity>/neighbours", Scope.READ, answer=shapes.Neighbours)
def neighbours(call: Call[None, None], entity: str) -> shapes.Neighbours:
    """The entities that statements name together with this one, those named together most first."""
    base, _row = visible_entity(call, entity)
    spoken = Mention.objects.at(base.current_revision).filter(base=base, item_id__in=visible(base).values("item_id"))
    shared = (
        spoken.filter(item_id__in=spoken.filter(entity_id=entity).values("item_id"))
        .exclude(entity_id__in=("", entity))
        .filter(entity_id__in=_told(base).values("entity_id"))
        .values("entity_id")
        .annotate(items=Count("item_id", distinct=True), item_id=Min("item_id"))
        .order_by("-items", "entity_id")
    )
    rows = list(shared[:NEIGHBOURS])
    named = {e.entity_id: e for e in _told(base).filter(entity_id__in=[row["entity_id"] for row in rows])}
    said = dict(
        Statement.objects.at(base.current_revision)
        .filter(base=base, item_id__in=[row["item_id"] for row in rows])
        .values_list("item_id", "text")
    )
    return {
        "project_id": base.pk,
        "neighbours": [_neighbour(named[r["entity_id"]], r["items"], r["item_id"], said[r["item_id"]]) for r in rows],
        "total": len(rows) if len(rows) < NEIGHBOURS else shared.count(),
    }


def _neighbour(entity: Entity, items: int, item_id: str, statement: str) -> shapes.Neighbour:
    ref: shapes.EntityRef = {"id": entity.entity_id, "canonical_name": entity.canonical_name, "type": entity.type}
    return {"entity": ref, "items": items, "item_id": item_id, "statement": statement}


def visible_entity[Q, B](call: Call[Q, B], entity: str) -> tuple[KnowledgeBase, Entity]:
    found = Entity.objects.filter(entity_id=entity).select_related("base").order_by("-rev_from").first()
    if found is None:
        raise NotFound
    call.fence(found.base_id)
    row = _told(found.base).filter(entity_id=entity).first()
    if row is None:
        raise NotFound
    return found.base, row


def many(base: KnowledgeBase, ids: Iterable[str]) -> list[shapes.Entity]:
    """Whole entities by id, in id order."""
    rows = _told(base).filter(entity_id__in=list(ids)).order_by("entity_id")
    return _shapes(base, list(rows))


def _told(base: KnowledgeBase) -> QuerySet[Entity]:
    """Entities that readers see: none that only withheld statements speak of."""
    return Entity.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")


def _shapes(base: KnowledgeBase, rows: Sequence[Entity]) -> list[shapes.Entity]:
    aliases: dict[str, list[shapes.AliasShape]] = defaultdict(list)
    found = Alias.objects.at(base.current_revision).filter(base=base, entity_id__in=[e.entity_id for e in rows])
    for alias in found.exclude(kind="name").order_by("folded"):
        aliases[alias.entity_id].append(
            {
                "alias": alias.alias,
                "kind": alias.kind,
                "reason": alias.reason,
                "confidence": alias.confidence,
                "separable": alias.separable,
            }
        )
    return [
        {
            "id": e.entity_id,
            "project_id": e.base_id,
            "type": e.type,
            "canonical_name": e.canonical_name,
            "aliases": aliases[e.entity_id],
            "confidence": e.confidence,
            "status": e.status,
            "mention_count": e.mention_count,
            "knowledge_count": e.knowledge_count,
        }
        for e in rows
    ]
