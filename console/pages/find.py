"""Find anything: pages and projects one may open, and sources and statements of the picked project alone."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.searching import kept_searches
from console.pages.show.labels import source_type, support_label
from console.pages.show.text import visible_line
from console.policy import Door, Permission
from knowledge.failures import Failed
from knowledge.scope import KnowledgeScope

PAGE = "pages/find.html"
MOST = 6
LONGEST = 200
SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Found:
    words: str
    detail: str
    url: str


@dataclass(frozen=True, slots=True)
class Group:
    """``failed`` says why nothing could be looked up here; an empty group without it found nothing."""

    name: str
    items: tuple[Found, ...]
    failed: str = ""


@door(get=Permission.READ_KNOWLEDGE)
def find(desk: Desk) -> HttpResponse:
    """Within a project: what it reads, too."""
    query = _query(desk)
    groups = [_pages(desk, query), _projects(desk, query)]
    groups.append(_kept(desk, query))
    scope = desk.link.scope
    if len(query) >= SHORTEST and scope is not None:
        groups += [_sources(desk, scope, query), _statements(desk, scope, query)]
    return _answer(desk, query, groups)


@door(get=Door.SIGNED_IN)
def find_pages(desk: Desk) -> HttpResponse:
    """Without a project: pages and projects only."""
    query = _query(desk)
    return _answer(desk, query, [_pages(desk, query), _projects(desk, query)])


def _answer(desk: Desk, query: str, groups: list[Group]) -> HttpResponse:
    shown = [group for group in groups if group.items or group.failed]
    count = sum(len(group.items) for group in shown)
    context = {"query": query, "groups": shown, "count": count}
    return desk.answer(PAGE, context, regions={"palette-found": f"{PAGE}#found"})


def _query(desk: Desk) -> str:
    return " ".join(desk.request.GET.get("q", "").split())[:LONGEST]


def _pages(desk: Desk, query: str) -> Group:
    frame = desk.frame
    known = [
        Found(place.label, gettext("Page"), place.url) for place in (*frame.places, *frame.colony, *frame.settings)
    ]
    if desk.project is not None and frame.places:
        slug = desk.project.slug
        known += [
            Found(words, gettext("Page"), reverse(name, args=[slug]))
            for words, name in (
                (gettext("Entities"), "entities"),
                (gettext("Who is who"), "candidates"),
                (gettext("What an agent would see"), "agent-view"),
                (gettext("Review history"), "review-history"),
                (gettext("Your searches"), "searches"),
            )
        ]
    return Group(gettext("Pages"), tuple(each for each in known if query.casefold() in each.words.casefold()))


def _projects(desk: Desk, query: str) -> Group:
    mine = [
        Found(each.name, gettext("Project"), reverse("sources", args=[each.slug]))
        for each in desk.projects
        if query.casefold() in each.name.casefold()
    ]
    return Group(gettext("Projects"), tuple(mine[:MOST]))


def _kept(desk: Desk, query: str) -> Group:
    asked = query.casefold()
    mine = [
        Found(str(row["name"]), gettext("Search for “{row}”").format(row=row["query"]), str(row["url"]))
        for row in kept_searches(desk)
        if asked in str(row["name"]).casefold() or asked in str(row["query"]).casefold()
    ]
    return Group(gettext("Your searches"), tuple(mine[:MOST]))


def _sources(desk: Desk, scope: KnowledgeScope, query: str) -> Group:
    answer = desk.link.provider.sources(scope, q=query, page_size=MOST)
    if isinstance(answer, Failed):
        return Group(gettext("Sources"), (), answer.reason)
    slug = desk.require_project().slug
    return Group(
        gettext("Sources"),
        tuple(
            Found(visible_line(each.path), source_type(each.type), reverse("source", args=[slug, each.id]))
            for each in answer.value.items[:MOST]
        ),
    )


def _statements(desk: Desk, scope: KnowledgeScope, query: str) -> Group:
    answer = desk.link.provider.search(scope, query, limit=MOST)
    if isinstance(answer, Failed):
        return Group(gettext("Statements"), (), answer.reason)
    hits = [hit.statement for hit in answer.value.hits[:MOST]]
    return Group(
        gettext("Statements"),
        tuple(
            Found(
                visible_line(each.text),
                support_label(each.support).words,
                reverse("statement", args=[desk.require_project().slug, each.id]),
            )
            for each in hits
        ),
    )
