"""Statements (the wire calls them knowledge items), alone, in lists, and whole in batches."""

import dataclasses
from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from forager.api import conflict_shapes, entities, history, shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound, ValidationFailed
from forager.api.items import EXPANSIONS, evidence_shape, present, told, visible
from forager.api.narrowed import where_of
from forager.api.paging import paginate
from forager.model.models import KnowledgeBase, Statement
from forager.search import narrowing
from forager.search.backend import Where

MAX_IDS = 50


@endpoint("GET", "/projects/<base>/knowledge", Scope.READ, query=shapes.ItemQuery, answer=shapes.Page)
def list_items(call: Call[shapes.ItemQuery, None], base: str) -> shapes.Page:
    """Statements by facet, or up to 50 whole ones by `ids` with `expand`."""
    where = where_of(call.base(base), call.query)
    row = where.base
    expand = _expand(call.query.get("expand", ""))
    rows = faceted(where)
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
    base, row = visible_item(call, item)
    found = present(base, [row], EXPANSIONS)[0]
    found["history"] = history.versions(base, row)
    return found


@endpoint("GET", "/knowledge/<item>/evidence", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_evidence(call: Call[shapes.ListQuery, None], item: str) -> shapes.Page:
    """The excerpts a statement rests on."""
    base, row = visible_item(call, item)
    return paginate(
        told(base).filter(item_id=row.item_id).select_related("source__stored"),
        ("evidence_id",),
        lambda found: [evidence_shape(e) for e in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=base.view_id,
    )


@endpoint("GET", "/knowledge/<item>/history", Scope.READ, answer=shapes.Page)
def get_history(call: Call[None, None], item: str) -> shapes.Page:
    """Every version of a statement, and of the others about the same attribute, oldest first, with why each ended."""
    base, row = visible_item(call, item)
    entries = history.versions(base, row)
    return {
        "items": entries,
        "next_cursor": None,
        "page_size": history.MOST,
        "total": len(entries),
        "view_id": base.view_id,
    }


def visible_item[Q, B](call: Call[Q, B], item: str) -> tuple[KnowledgeBase, Statement]:
    found = Statement.objects.filter(item_id=item).select_related("base").order_by("-rev_from").first()
    if found is None:
        raise NotFound
    call.fence(found.base_id)
    row = visible(found.base).filter(item_id=item).first()
    if row is None:
        raise NotFound
    return found.base, row


def _expand(text: str) -> frozenset[str]:
    asked = frozenset(part for part in text.split(",") if part)
    if asked - EXPANSIONS:
        raise ValidationFailed(fields={"expand": "takes evidence, entities and conflicts"})
    return asked


def faceted(where: Where) -> QuerySet[Statement]:
    """Every status but withheld, as the list is for people, too; asked for a time, what held or was held then."""
    if where.facets or where.band or where.as_of or where.known_at:
        at_a_time = where.as_of or where.known_at
        shown = where if at_a_time else dataclasses.replace(where, include_historical=True)
        return narrowing.readable(shown)
    return visible(where.base)


def _later(rows: QuerySet[Statement], found: Mapping[str, Statement]) -> list[Statement]:
    """What superseded the found ones and is not among them, and what superseded those in turn."""
    met, later = set(found), list[Statement]()
    fresh: Iterable[Statement] = found.values()
    while wanted := {row.superseded_by for row in fresh if row.superseded_by} - met:
        met |= wanted
        fresh = list(rows.filter(item_id__in=wanted).order_by("item_id"))
        later += fresh
    return later


def _batch(base: KnowledgeBase, rows: QuerySet[Statement], text: str, expand: frozenset[str]) -> shapes.Page:
    """In the order asked; what is unknown, foreign or hidden is simply not there.

    What contests the items, what came after them and whom they speak of comes whole in the same answer, so that a
    context is one read.
    """
    ids = list(dict.fromkeys(part for part in text.split(",") if part))
    if len(ids) > MAX_IDS:
        raise ValidationFailed(fields={"ids": f"at most {MAX_IDS} at a time"})
    found = {row.item_id: row for row in rows.filter(item_id__in=ids)}
    items = present(base, [found[i] for i in ids if i in found], expand)
    page: shapes.Page = {
        "items": items,
        "next_cursor": None,
        "page_size": len(ids),
        "total": len(items),
        "view_id": base.view_id,
    }
    if "conflicts" in expand:
        page["conflicts"] = conflict_shapes.many(base, {c for item in items for c in item.get("conflict_ids", [])})
        page["successors"] = present(base, _later(rows, found), expand)
    if "entities" in expand:
        page["entities"] = entities.many(base, {e for item in items for e in item["entity_ids"]})
    return page
