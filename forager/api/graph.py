"""Statements as edges: what stands around an entity, and the walk that follows a question from one."""

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.items import present, relationships
from forager.api.narrowed import entity_of, question, where_of
from forager.api.paging import paginate
from forager.model.models import Entity
from forager.search import graph, narrowing, relations

EDGES, BUDGET, BEAM = 100, 20, 4
FACETS = tuple(name for name in narrowing.FACETS if name != "entity")


@endpoint("GET", "/projects/<base>/neighbors", Scope.READ, query=shapes.NeighborsQuery, answer=shapes.Neighbors)
def neighbors(call: Call[shapes.NeighborsQuery, None], base: str) -> shapes.Neighbors:
    """What is said around an entity, given by id or name, in both directions, one or two statements away."""
    query = call.query
    where = where_of(call.base(base), query, facets=FACETS)
    start = entity_of(where, query["entity"])
    depth = query.get("depth", 1)
    found = graph.neighbours(where, start, depth=depth, limit=query.get("limit", EDGES))
    rows = graph.entities_of(where, found.entities)
    items = present(where.base, [e.row for e in found.edges], frozenset())
    return {
        "entity": _ref(start),
        "depth": depth,
        "entities": [{**_ref(rows[i]), "depth": at} for i, at in found.entities.items() if i in rows],
        "edges": [
            {
                "item": item,
                "from_id": edge.from_id or None,
                "to_id": edge.to_id or None,
                "type": (edge.row.frame or {}).get("attribute", "") or "mentions",
                "inverse": edge.inverse,
                "depth": edge.depth,
            }
            for item, edge in zip(items, found.edges, strict=True)
        ],
        "truncated": found.truncated,
        "view_id": where.base.view_id,
    }


@endpoint("GET", "/projects/<base>/relationships", Scope.READ, query=shapes.RelationshipQuery, answer=shapes.Page)
def list_relationships(call: Call[shapes.RelationshipQuery, None], base: str) -> shapes.Page:
    """Statements that join two entities, page by page; a page may hold fewer than its size, or none, and go on."""
    query = call.query
    where = where_of(call.base(base), query, facets=FACETS)
    entity = entity_of(where, query["entity"]) if "entity" in query else None
    return paginate(
        relations.candidates(where, entity),
        ("item_id",),
        lambda rows: relationships(where.base, relations.of_rows(where, rows)),
        cursor=query.get("cursor", ""),
        page_size=query.get("page_size", 50),
        view_id=where.base.view_id,
    )


@endpoint("POST", "/projects/<base>/walk", Scope.READ, body=shapes.WalkRequest, answer=shapes.Walk)
def walk(call: Call[None, shapes.WalkRequest], base: str) -> shapes.Walk:
    """Follows from an entity, given by id or name, the statements most like the question, until the budget is full."""
    body = call.body
    text = question(body["query"], "query")
    where = where_of(call.base(base), body, facets=FACETS)
    start = entity_of(where, body["entity"])
    budget, beam = body.get("budget", BUDGET), body.get("beam", BEAM)
    found = graph.walk(where, start, text, budget=budget, beam=beam)
    items = present(where.base, [e.row for e in found], frozenset())
    return {
        "entity": _ref(start),
        "query": text,
        "budget": budget,
        "beam": beam,
        "steps": [
            {
                "item": item,
                "from_id": edge.from_id or None,
                "to_id": edge.to_id or None,
                "inverse": edge.inverse,
                "round": edge.depth,
                "score": edge.score,
            }
            for item, edge in zip(items, found, strict=True)
        ],
        "view_id": where.base.view_id,
    }


def _ref(row: Entity) -> shapes.EntityRef:
    return {"id": row.entity_id, "canonical_name": row.canonical_name, "type": row.type}
