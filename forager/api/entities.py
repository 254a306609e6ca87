"""Entities with the names they go by."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound
from forager.api.paging import paginate
from forager.extraction import lexicon
from forager.model.models import Alias, Entity, KnowledgeBase
from forager.model.reading import several
from forager.search import plain


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
    return _shapes(base, seen(base, ids))


def seen(base: KnowledgeBase, ids: Iterable[str]) -> list[Entity]:
    """Of these the ones that readers see, in id order."""
    listed, revision = list(ids), base.current_revision
    if not listed:
        return []
    condition = (
        f"entity_id IN ({plain.marks(listed)}) AND base_id || '' = %s AND status <> 'withheld' AND {plain.seen()} "
        "ORDER BY entity_id"
    )
    return several(Entity, condition, [*listed, base.pk, revision, revision])


def _told(base: KnowledgeBase) -> QuerySet[Entity]:
    """Entities that readers see: none that only withheld statements speak of."""
    return Entity.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")


def _shapes(base: KnowledgeBase, rows: Sequence[Entity]) -> list[shapes.Entity]:
    aliases: dict[str, list[shapes.AliasShape]] = defaultdict(list)
    ids, revision = [e.entity_id for e in rows], base.current_revision
    condition = (
        f"entity_id IN ({plain.marks(ids)}) AND base_id || '' = %s AND kind <> 'name' AND {plain.seen()} "
        "ORDER BY folded"
    )
    for alias in several(Alias, condition, [*ids, base.pk, revision, revision]) if ids else ():
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
