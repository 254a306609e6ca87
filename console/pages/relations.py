"""How knowledge hangs together: what an entity is named with, and what was stated for an attribute over time."""

from django.http import Http404, HttpResponse
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.show.entities import entity_row
from console.pages.show.labels import subject_words
from console.pages.show.neighbours import DRAWN, HEIGHT, WIDTH, around, neighbour_rows, nodes
from console.pages.show.text import visible_line
from console.pages.show.timeline import timeline as timeline_rows
from console.pages.state import failed_page, failure_note, unreadable
from console.policy import Permission
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import StatementFilter
from knowledge.records import Conflict, Statement
from knowledge.reviewing import Queue
from knowledge.scope import KnowledgeScope

LONGEST_KEY = 400
EDGES = 200
VALUES = 50


@door(get=Permission.READ_KNOWLEDGE)
def entity_graph(desk: Desk, entity_id: str) -> HttpResponse:
    """The table holds what the picture shows, and more."""
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Neighbours"), place="knowledge")
    found = link.provider.entity(link.scope, entity_id)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Neighbours"), found, place="knowledge")
    near = link.provider.neighbours(link.scope, entity_id, limit=EDGES)
    if isinstance(near, Failed):
        return failed_page(desk, gettext("Neighbours"), near, place="knowledge")
    listed = around(near.value)
    total = len(listed)
    context = {
        "entity": entity_row(found.value, slug),
        "rows": neighbour_rows(listed, slug),
        "nodes": nodes(listed, slug),
        "drawn": DRAWN if total > DRAWN else 0,
        "total": total,
        "width": WIDTH,
        "height": HEIGHT,
        "middle": (WIDTH // 2, HEIGHT // 2),
        "tab": "entities",
    }
    return desk.answer("pages/knowledge/graph.html", context)


@door(get=Permission.READ_KNOWLEDGE)
def timeline(desk: Desk) -> HttpResponse:
    """Every value of the attribute named by ``key``, that of superseded statements, too."""
    link, slug = desk.link, desk.require_project().slug
    key = desk.request.GET.get("key", "")[:LONGEST_KEY]
    if not key:
        raise Http404
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Over time"), place="knowledge")
    where = StatementFilter(attribute_key=key, page_size=VALUES, whole=True)
    listed = link.provider.statements(link.scope, where)
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Over time"), listed, place="knowledge")
    statements = listed.value.items
    conflicts, missed = _conflicts(desk, link.scope, statements)
    subject = statements[0].subject if statements else key.partition("|")[0]
    context = {
        "title": visible_line(subject_words(subject, key)),
        "rows": timeline_rows(statements, conflicts, slug),
        "more": listed.value.next_cursor is not None,
        "limit": VALUES,
        "note": failure_note(missed, gettext("The values below are whole.")) if missed else None,
        "tab": "search",
    }
    return desk.answer("pages/knowledge/timeline.html", context)


def _conflicts(
    desk: Desk, scope: KnowledgeScope, statements: tuple[Statement, ...]
) -> tuple[dict[str, Conflict], Failed | None]:
    """The conflicts the values stand in, by id, in one read; and why they could not be had."""
    ids = list(dict.fromkeys(known for each in statements for known in each.conflict_ids))[:VALUES]
    answer: Outcome[Queue] = desk.link.provider.queued(scope, ids) if ids else Ok(Queue((), None, 0))
    if isinstance(answer, Failed):
        return {}, answer
    return {row.conflict.id: row.conflict for row in answer.value.items}, None
