"""Statements (the wire calls them knowledge items), alone, in lists, and whole in batches."""

import dataclasses
from collections.abc import Iterable, Mapping

from forager.api import conflict_shapes, entities, grounds, history, shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound, ValidationFailed
from forager.api.items import EXPANSIONS, present, told, visible
from forager.api.narrowed import where_of
from forager.api.paging import paginate
from forager.model.models import KnowledgeBase, Statement
from forager.search import narrowing, plain, rows
from forager.search.backend import Where
from forager.search.rows import StatementRow

MAX_IDS = 50


@endpoint("GET", "/projects/<base>/knowledge", Scope.READ, query=shapes.ItemQuery, answer=shapes.Page)
def list_items(call: Call[shapes.ItemQuery, None], base: str) -> shapes.Page:
    """Statements by facet, or up to 50 whole ones by `ids` with `expand`."""
    where = where_of(call.base(base), call.query)
    row = where.base
    expand = _expand(call.query.get("expand", ""))
    if "ids" in call.query:
        return _batch(where, call.query["ids"], expand)
    return paginate(
        narrowing.queryset(faceted(where)),
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
        told(base).filter(item_id=row.item_id),
        ("evidence_id",),
        lambda found: grounds.excerpts(base, [e.evidence_id for e in found]),
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


def faceted(where: Where) -> narrowing.Clauses:
    """Every status but withheld, as the list is for people, too; asked for a time, what held or was held then."""
    if where.facets or where.band or where.as_of or where.known_at:
        at_a_time = where.as_of or where.known_at
        shown = where if at_a_time else dataclasses.replace(where, include_historical=True)
        return narrowing.statements(shown)
    return narrowing.not_withheld(where.base)


def _among(where: Where, ids: Iterable[str]) -> dict[str, StatementRow]:
    found, listed = faceted(where), list(ids)
    found.add(f"s.item_id IN ({plain.marks(listed)})", *listed)
    return {row.item_id: row for row in rows.where(found.text, found.values)}


def _later(where: Where, found: Mapping[str, StatementRow]) -> list[StatementRow]:
    """What superseded the found ones and is not among them, and what superseded those in turn."""
    met, later = set(found), list[StatementRow]()
    fresh: Iterable[StatementRow] = found.values()
    while wanted := {row.superseded_by for row in fresh if row.superseded_by} - met:
        met |= wanted
        read = _among(where, wanted)
        fresh = [read[item] for item in sorted(read)]
        later += fresh
    return later


def _batch(where: Where, text: str, expand: frozenset[str]) -> shapes.Page:
    """In the order asked; what is unknown, foreign or hidden is simply not there.

    What contests the items, what came after them and whom they speak of comes whole in the same answer, so that a
    context is one read.
    """
    ids = list(dict.fromkeys(part for part in text.split(",") if part))
    if len(ids) > MAX_IDS:
        raise ValidationFailed(fields={"ids": f"at most {MAX_IDS} at a time"})
    base, found = where.base, _among(where, ids)
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
        page["successors"] = present(base, _later(where, found), expand)
    if "entities" in expand:
        page["entities"] = entities.many(base, {e for item in items for e in item["entity_ids"]})
    return page
