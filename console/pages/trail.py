"""Who decided what: the trail of a knowledge base by person and day, on a page and as a table to take away."""

import datetime as dt
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext

from console.bases.interchange import note_download
from console.pages.desk import Desk, door
from console.pages.forms import text_input
from console.pages.show.conflicts import event_row
from console.pages.state import failed_page, unreadable
from console.pages.tables import csv_download
from console.policy import Permission
from console.wording import gettext_lazy as _
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import Trail
from knowledge.reviewing import ReviewEvent

PAGE = "pages/review/history.html"
TAKEN_AT_ONCE = 200
COLUMNS = ("at", "who", "what", "target", "before", "after", "reason")
NO_DAY = _("Write a day as 2026-03-09.")


def _day() -> forms.DateField:
    widget = forms.DateInput({"class": "input", "type": "date"})
    return forms.DateField(required=False, widget=widget, error_messages={"invalid": NO_DAY})


class TrailFilter(forms.Form):
    """Every field may be empty; what is wrong with one is told beside it, and the others still hold."""

    actor = forms.CharField(
        required=False, max_length=200, widget=text_input(**{"aria-label": _("By whom"), "placeholder": _("By whom")})
    )
    first = _day()
    last = _day()

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.is_valid()

    @property
    def where(self) -> Trail:
        """Both days count whole, in the console's time zone."""
        asked = self.cleaned_data
        last = asked.get("last")
        return Trail(
            actor=asked.get("actor", ""),
            since=_midnight(asked.get("first")),
            until=_midnight(last + dt.timedelta(days=1) if last else None),
        )

    @property
    def query(self) -> str:
        """What is asked, for links to other pages of the same list."""
        return urlencode({name: self.data[name] for name in self.fields if self.data.get(name)})


@door(get=Permission.READ_KNOWLEDGE)
def history(desk: Desk) -> HttpResponse:
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Review history"), place="review")
    form = TrailFilter(desk.request.GET)
    listed = link.provider.review_events(link.scope, cursor=desk.request.GET.get("cursor", ""), where=form.where)
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Review history"), listed, place="review")
    context = {
        "rows": [event_row(each, slug) for each in listed.value.items],
        "next_cursor": listed.value.next_cursor,
        "form": form,
        "query": form.query,
        "may_export": desk.may(Permission.EXPORT_KNOWLEDGE),
    }
    return desk.answer(PAGE, context, regions={"trail": f"{PAGE}#trail"})


@door(get=Permission.EXPORT_KNOWLEDGE)
def history_table(desk: Desk) -> HttpResponseBase:
    """All decisions of the filter as CSV, newest first; whole or not made: the engine is read to the end first."""
    if not desk.link.readable:
        return unreadable(desk, gettext("Review history"), place="review")
    found = _all(desk, TrailFilter(desk.request.GET).where)
    note_download(hand=desk.require_hand(), target="review-history.csv", outcome=found)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Review history"), found, place="review")
    return csv_download("review-history.csv", COLUMNS, _cells(found.value))


def _all(desk: Desk, where: Trail) -> Outcome[list[ReviewEvent]]:
    events: list[ReviewEvent] = []
    cursor: str | None = ""
    while cursor is not None:
        page = desk.link.provider.review_events(
            desk.require_scope(), cursor=cursor, page_size=TAKEN_AT_ONCE, where=where
        )
        if isinstance(page, Failed):
            return page
        events += page.value.items
        cursor = page.value.next_cursor
    return Ok(events)


def _cells(events: list[ReviewEvent]) -> Iterator[tuple[str, ...]]:
    for each in events:
        at = each.at.isoformat(timespec="milliseconds") if each.at else ""
        yield (at, each.actor, each.action, each.target_id, each.before, each.after, each.notes)


def _midnight(day: dt.date | None) -> str:
    return dt.datetime.combine(day, dt.time.min, timezone.get_current_timezone()).isoformat() if day else ""
