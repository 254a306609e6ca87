"""The audit trail, filtered: on a page, and as a table to take away."""

import json
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext

from console.audit.models import AuditEvent, AuditEventQuerySet
from console.audit.queries import kinds
from console.pages.desk import Desk, door
from console.pages.show.times import moment
from console.pages.tables import csv_download
from console.policy import Permission
from console.projects.queries import every_project
from console.wording import gettext_lazy as _

PER_PAGE = 50
BATCH = 500
COLUMNS = ("at", "who", "who_key", "what", "target", "project", "before", "after", "request_id")
NO_DAY = _("Write a day as 2026-03-09.")


_DAY = {"class": "input", "type": "date"}


def _labelled(label: str) -> dict[str, str]:
    return {"class": "input", "aria-label": label, "placeholder": label}


class AuditFilter(forms.Form):
    """Every field may be empty; what is wrong with one is told beside it, and the others still hold."""

    actor = forms.CharField(required=False, max_length=80, widget=forms.TextInput(_labelled(_("By whom"))))
    action = forms.ChoiceField(required=False, widget=forms.Select({"class": "input", "aria-label": _("What")}))
    project = forms.ChoiceField(required=False, widget=forms.Select({"class": "input", "aria-label": _("Project")}))
    first = forms.DateField(required=False, widget=forms.DateInput(_DAY), error_messages={"invalid": NO_DAY})
    last = forms.DateField(required=False, widget=forms.DateInput(_DAY), error_messages={"invalid": NO_DAY})

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._choose("action", [("", gettext("Everything")), *((kind, kind.capitalize()) for kind in kinds())])
        self._choose("project", [("", gettext("All projects")), *((p.slug, p.name) for p in every_project())])

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    def events(self) -> AuditEventQuerySet:
        self.is_valid()
        asked = self.cleaned_data
        return (
            AuditEvent.objects.of_action(asked.get("action", ""))
            .by_actor(asked.get("actor", ""))
            .in_project(asked.get("project", ""))
            .between(asked.get("first"), asked.get("last"))
        )

    @property
    def query(self) -> str:
        """What is asked, for links to other pages of the same list."""
        return urlencode({name: self.data[name] for name in self.fields if self.data.get(name)})


@door(get=Permission.MANAGE_SETTINGS)
def audit(desk: Desk) -> HttpResponse:
    form = AuditFilter(desk.request.GET)
    page = Paginator(form.events(), PER_PAGE).get_page(desk.request.GET.get("page"))
    context = {"rows": [_row(event) for event in page], "page": page, "form": form, "query": form.query}
    return desk.answer("pages/audit/list.html", context, regions={"events": "pages/audit/list.html#events"})


@door(get=Permission.MANAGE_SETTINGS)
def audit_table(desk: Desk) -> HttpResponseBase:
    """All events of the filter as CSV, newest first, streamed; no cell is a formula to a spreadsheet."""
    events = AuditFilter(desk.request.GET).events()
    return csv_download("audit.csv", COLUMNS, (_cells(event) for event in events.iterator(BATCH)))


def _cells(event: AuditEvent) -> tuple[str, ...]:
    return (
        event.at.isoformat(timespec="milliseconds"), event.actor_name, event.actor_key, event.action, event.target,
        event.project, json.dumps(event.before), json.dumps(event.after), event.request_id,
    )  # fmt: skip


def _row(event: AuditEvent) -> dict[str, object]:
    return {
        "at": moment(event.at),
        "actor": event.actor_name,
        "action": event.action.replace(".", " ").replace("_", " ").capitalize(),
        "target": event.target,
        "project": event.project,
        "facts": _facts(event),
        "request_id": event.request_id,
    }


def _facts(event: AuditEvent) -> list[tuple[str, str, str]]:
    """Each fact with what it was and what it became."""
    names = [*event.before, *(name for name in event.after if name not in event.before)]
    return [(name.replace("_", " "), _word(event.before, name), _word(event.after, name)) for name in names]


def _word(facts: dict[str, object], name: str) -> str:
    value = facts.get(name, "")
    return (
        {True: gettext("yes"), False: gettext("no")}[value]
        if isinstance(value, bool)
        else str("" if value is None else value)
    )
