"""Knowledge: search, one statement, what an agent would see, entities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.utils.translation import gettext

from console.packages.queries import count_readers, readers_of
from console.pages.asked import MAX_QUERY, Ask
from console.pages.desk import Desk, door
from console.pages.review_forms import JoinForm, SeparateForm
from console.pages.searching import kept_searches
from console.pages.show.entities import entity_row
from console.pages.show.facets import chosen, facet_groups, time_words
from console.pages.show.packages import package_row
from console.pages.show.reading import flag_warnings, reading_rows
from console.pages.show.statements import (
    ContestedLine,
    StatementView,
    contested_lines,
    hit_views,
    statement_view,
)
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.policy import Permission
from console.wording import plural
from knowledge.failures import Failed, Ok
from knowledge.provider import StatementFilter
from knowledge.records import Page, Statement
from knowledge.reviewing import Passage, StatementBrief
from knowledge.scope import KnowledgeScope

SEARCH = "pages/knowledge/search.html"
CONTESTED_HITS = 3


@door(get=Permission.READ_KNOWLEDGE)
def knowledge(desk: Desk) -> HttpResponse:
    """Search results, or the latest statements when nothing is asked."""
    link = desk.link
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Knowledge"), place="knowledge")
    ask = Ask.of(desk.request.GET.dict())
    if ask.errors:
        return _answer(desk, ask, NOTHING_ASKED, status=422)
    found = _search(desk, link.scope, ask) if ask.q else _browse(desk, link.scope, ask)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Knowledge"), found, place="knowledge")
    return _answer(desk, ask, found)


@door(get=Permission.READ_KNOWLEDGE)
def statement(desk: Desk, statement_id: str) -> HttpResponse:
    """One statement with its evidence in context, checked against the stored text now: one call."""
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Statement"), place="knowledge")
    read = link.provider.statement_brief(link.scope, statement_id)
    if isinstance(read, Failed):
        return failed_page(desk, gettext("Statement"), read, place="knowledge")
    found = read.value.statement
    context = {
        "statement": statement_view(found, slug, passages=_in_context(read.value)),
        "reading": reading_rows(found),
        "has_frame": found.frame is not None,
        "warnings": flag_warnings(found),
        "attribute_key": found.attribute_key,
        "tab": "search",
        "may_export": desk.may(Permission.EXPORT_KNOWLEDGE),
        **_readers(desk, link.scope, statement_id),
    }
    return desk.answer("pages/knowledge/statement.html", context)


def _readers(desk: Desk, scope: KnowledgeScope, statement_id: str) -> dict[str, object]:
    """The packages of this project's agents that hold the statement."""
    project = desk.require_project()
    packages, tokens = count_readers(scope.base_id, project.pk, statement_id)
    latest = readers_of(scope.base_id, project.pk, statement_id)
    return {"readers": [package_row(each, project.slug) for each in latest], "served": packages, "served_to": tokens}


@door(get=Permission.READ_KNOWLEDGE)
def entities(desk: Desk) -> HttpResponse:
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Entities"), place="knowledge")
    query = desk.request.GET.get("q", "").strip()[:MAX_QUERY]
    listed = link.provider.entities(link.scope, q=query, cursor=desk.request.GET.get("cursor", ""))
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Entities"), listed, place="knowledge")
    maybe = link.provider.merge_candidates(link.scope, status="open")
    context = {
        "maybe": maybe.value.total or 0 if isinstance(maybe, Ok) else 0,
        "rows": [entity_row(each, slug) for each in listed.value.items],
        "next_cursor": listed.value.next_cursor,
        "query": query,
        "tab": "entities",
    }
    page = "pages/knowledge/entities.html"
    return desk.answer(page, context, regions={"entities": f"{page}#entities"})


@door(get=Permission.READ_KNOWLEDGE)
def entity(desk: Desk, entity_id: str) -> HttpResponse:
    return entity_page(desk, entity_id)


def entity_page(
    desk: Desk,
    entity_id: str,
    *,
    separate: SeparateForm | None = None,
    join: JoinForm | None = None,
    note: Note | None = None,
    status: int = 200,
) -> HttpResponse:
    """An entity with its names and why it has them; the forms take one out or join another."""
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Entity"), place="knowledge")
    found = link.provider.entity(link.scope, entity_id)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Entity"), found, place="knowledge")
    listed = link.provider.statements(link.scope, StatementFilter(entity=entity_id, whole=True))
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Entity"), listed, place="knowledge")
    context = {
        "entity": entity_row(found.value, slug),
        "statements": [statement_view(each, slug) for each in listed.value.items],
        "tab": "entities",
        "separate": separate or SeparateForm(),
        "join": join or JoinForm(),
        "may_decide": desk.may(Permission.REVIEW_KNOWLEDGE),
        "note": note,
    }
    return desk.answer("pages/knowledge/entity.html", context, status=status)


def _in_context(found: StatementBrief) -> dict[str, Passage]:
    return {
        each.evidence_id: replace(each, before=each.before.lstrip(), after=each.after.rstrip())
        for each in found.passages
    }


@dataclass(frozen=True, slots=True)
class Found:
    """What an ask found: the statements shown, as the engine told them and as the page shows them, and how."""

    shown: tuple[Statement, ...] = ()
    results: tuple[StatementView, ...] = ()
    contested: Sequence[ContestedLine] = ()
    answered: str = ""
    batch_note: Note | None = None
    next_cursor: str = ""


NOTHING_ASKED = Found()


def _answer(desk: Desk, ask: Ask, found: Found, *, status: int = 200) -> HttpResponse:
    context = {
        "ask": ask,
        "errors": ask.errors,
        "found": found,
        "count": plural(len(found.results), "statement", "statements"),
        "groups": facet_groups(ask, found.shown) if found.shown or (ask.narrowed and not ask.errors) else (),
        "chosen": chosen(ask, found.shown),
        "everything": Ask(q=ask.q).query(),
        "time": time_words(ask),
        "next_query": ask.query(cursor=found.next_cursor) if found.next_cursor else "",
        "tab": "search",
        "total": _total(desk),
        "kept": kept_searches(desk),
    }
    return desk.answer(SEARCH, context, regions={"results": f"{SEARCH}#results"}, status=status)


def _search(desk: Desk, scope: KnowledgeScope, ask: Ask) -> Found | Failed:
    """Ranked hits, then the whole statements of all of them in one batch."""
    provider, slug, known_at = desk.link.provider, desk.require_project().slug, ask.known_moment
    found = provider.search(
        scope,
        ask.q,
        include_historical=bool(ask.historical),
        as_of=ask.as_of,
        known_at=known_at,
        facets=ask.facets,
    )
    if isinstance(found, Failed):
        return found
    hits = found.value.hits
    ids = [hit.statement.id for hit in hits]
    batch = provider.statements_by_id(scope, ids, known_at=known_at) if ids else Ok(Page[Statement]((), None, 0))
    whole = {each.id: each for each in batch.value.items} if isinstance(batch, Ok) else {}
    return Found(
        shown=tuple(whole.get(hit.statement.id, hit.statement) for hit in hits),
        results=hit_views(hits, whole, slug),
        contested=contested_lines([whole[each] for each in ids[:CONTESTED_HITS] if each in whole], slug),
        answered=gettext("answered by {backend} in {took_ms:.0f} ms").format(
            backend=found.value.backend, took_ms=found.value.took_ms
        ),
        batch_note=failure_note(batch, gettext("The ranking below is whole.")) if isinstance(batch, Failed) else None,
    )


def _browse(desk: Desk, scope: KnowledgeScope, ask: Ask) -> Found | Failed:
    listed = desk.link.provider.statements(scope, ask.where)
    if isinstance(listed, Failed):
        return listed
    slug = desk.require_project().slug
    return Found(
        shown=listed.value.items,
        results=tuple(statement_view(each, slug) for each in listed.value.items),
        answered=gettext("in the engine’s order"),
        next_cursor=listed.value.next_cursor or "",
    )


def _total(desk: Desk) -> str:
    """Empty where the number would tell of what may not be read here."""
    return f"{desk.link.counted.statement_count:,}" if desk.link.counted else ""
