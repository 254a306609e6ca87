"""Review: only disagreements. The queue by risk with its filters, what lost its footing, and the trail."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext

from console.audit.queries import measured_rulings
from console.pages.desk import Desk, door
from console.pages.show.briefing import WeightView, record_lines, weight_view
from console.pages.show.conflicts import ConflictRow, conflict_row, decision_row
from console.pages.show.labels import conflict_kind
from console.pages.show.looked import looked
from console.pages.show.text import visible_line
from console.pages.state import failed_page, unreadable
from console.pages.walk import TABS, Walk
from console.policy import Permission
from knowledge.failures import Failed
from knowledge.records import Base
from knowledge.reviewing import Queue, Queued

PAGE = "pages/review/list.html"
ORPHANS = "pages/review/orphaned.html"
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class QueueRow:
    row: ConflictRow
    weight: WeightView
    url: str
    looked_by: str


@dataclass(frozen=True, slots=True)
class Tab:
    words: str
    url: str
    count: str
    current: bool


@door(get=Permission.READ_KNOWLEDGE)
def review(desk: Desk) -> HttpResponse:
    link, walk = desk.link, Walk.of(desk.request.GET.dict())
    if not link.readable or link.scope is None or link.base is None:
        return unreadable(desk, gettext("Review"), place="review")
    if walk.tab == "orphaned":
        return _orphaned(desk)
    cursor = desk.request.GET.get("cursor", "")
    listed = link.provider.queue(link.scope, walk.where, cursor=cursor, page_size=PAGE_SIZE)
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Review"), listed, place="review")
    context = _context(desk, walk, listed.value, link.base)
    return desk.answer(PAGE, context, regions={"conflicts": f"{PAGE}#conflicts"})


def _context(desk: Desk, walk: Walk, queue: Queue, base: Base) -> dict[str, object]:
    slug, total = desk.require_project().slug, queue.total or 0
    return {
        "slug": slug,
        "rows": [_row(each, slug, walk) for each in queue.items],
        "tabs": _tabs(walk, dict(queue.tabs)),
        "kinds": _kinds(walk, queue),
        "assignees": [(visible_line(name), count, name == walk.who, name) for name, count in queue.assignees],
        "walk": walk,
        "everything": Walk(tab=walk.tab).query(),
        "heading": _heading(walk, total),
        "next_query": walk.query(cursor=queue.next_cursor) if queue.next_cursor else "",
        "first_query": walk.query() if "cursor" in desk.request.GET else "",
        "looked": looked(base),
        "record": record_lines(queue.record, measured_rulings(base.id)),
        "second_look": queue.second_look,
        "may_rule": desk.may(Permission.REVIEW_KNOWLEDGE) and walk.tab != "solved",
        "may_manage": desk.may(Permission.MANAGE_KNOWLEDGE),
    }


def _row(queued: Queued, slug: str, walk: Walk) -> QueueRow:
    row = conflict_row(queued.conflict, slug)
    return QueueRow(row, weight_view(queued.weight), f"{row.url}{walk.query()}", visible_line(queued.awaits_second))


def _tabs(walk: Walk, counts: dict[str, int]) -> list[Tab]:
    return [
        Tab(words, Walk(tab=name).query(), f"{counts[name]:,}" if name in counts else "", name == walk.tab)
        for name, words in TABS.items()
    ]


def _kinds(walk: Walk, queue: Queue) -> list[tuple[str, str, int, bool]]:
    """Each kind there is in this tab: its address, words, number, and whether it is the one shown."""
    return [(walk.query(kind=kind), conflict_kind(kind), count, kind == walk.kind) for kind, count in queue.types]


def _heading(walk: Walk, total: int) -> str:
    word = {
        "open": gettext("open, riskiest first"),
        "assigned": gettext("wait for evidence"),
        "maybe": gettext("maybe, riskiest first"),
        "solved": gettext("ruled, newest first"),
    }[walk.tab]
    return f"{total:,} {word}"


def _orphaned(desk: Desk) -> HttpResponse:
    """Rulings that found nothing they were made about: kept, and in force again when it returns."""
    link, walk = desk.link, Walk(tab="orphaned")
    lost = link.provider.decisions(desk.require_scope(), state="orphaned")
    if isinstance(lost, Failed):
        return failed_page(desk, gettext("Review"), lost, place="review")
    rows = [decision_row(each) for each in lost.value.items]
    context = {"rows": rows, "tabs": _tabs(walk, {"orphaned": lost.value.total or len(rows)})}
    return desk.answer(ORPHANS, {**context, "review_url": reverse("review", args=[desk.require_project().slug])})
