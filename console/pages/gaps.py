"""Questions nothing answers yet: counted, asked again when the base has moved, closed by a statement or set aside."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from console.gaps.actions import AT_ONCE, ask_again, dismiss_gap
from console.gaps.models import GapState
from console.gaps.queries import find_gap, gap_counts, gaps_of, has_waiting
from console.pages.desk import Desk, door
from console.pages.forms import area
from console.pages.show.gaps import gap_row
from console.pages.state import failed_page, unreadable
from console.policy import Permission
from knowledge.failures import Failed

PAGE = "pages/knowledge/gaps.html"
AT_OPENING = 1
"""Gaps asked again when somebody opens the page, which waits for it; the button, the feed and the command take more."""
SHOWN = 200
TABS = {
    GapState.OPEN: gettext_lazy("Open"),
    GapState.CLOSED: gettext_lazy("Answered since"),
    GapState.DISMISSED: gettext_lazy("Set aside"),
}


class DismissForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Why nobody needs to answer it"),
        max_length=500,
        widget=area(),
        error_messages={"required": gettext_lazy("Say why, so that the next person need not ask.")},
    )


@door(get=Permission.READ_KNOWLEDGE, post=Permission.REVIEW_KNOWLEDGE)
def gaps(desk: Desk) -> HttpResponse:
    """Opening it asks one again if the base has moved since; posting asks more."""
    link = desk.link
    if not link.readable or link.scope is None or link.base is None:
        return unreadable(desk, gettext("Gaps"), place="knowledge")
    posted = desk.request.method == "POST"
    project, revision = desk.require_project(), link.base.current_revision
    if posted or has_waiting(project, link.scope.base_id, revision):
        done = ask_again(
            project=project,
            scope=link.scope,
            provider=link.provider,
            top_k=link.settings.top_k,
            at_most=AT_ONCE if posted else AT_OPENING,
            revision=revision,
        )
        if isinstance(done, Failed):
            return failed_page(desk, gettext("Gaps"), done, place="knowledge")
        if posted:
            told = ngettext("%(n)s question asked again", "%(n)s questions asked again", done.value.asked)
            closed = ngettext("%(n)s is answered now.", "%(n)s are answered now.", done.value.closed)
            sentence = f"{told % {'n': done.value.asked}}, {closed % {'n': done.value.closed}}"
            messages.success(desk.request, sentence)
            return redirect("gaps", project.slug)
    return gaps_page(desk)


@door(post=Permission.REVIEW_KNOWLEDGE)
def gap_dismiss(desk: Desk, pk: str) -> HttpResponse:
    link, project = desk.link, desk.require_project()
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Gaps"), place="knowledge")
    found = find_gap(project, link.scope.base_id, int(pk))
    if found is None:
        raise Http404
    form = DismissForm(desk.request.POST)
    if not form.is_valid():
        return gaps_page(desk, wrong=(found.pk, form), status=422)
    if dismiss_gap(by=desk.by, gap=found, reason=form.cleaned_data["reason"]):
        messages.success(desk.request, gettext("Set aside. It still counts when it is asked."))
    else:
        messages.warning(desk.request, gettext("It is not open any more. Nothing was changed."))
    return redirect("gaps", project.slug)


def gaps_page(desk: Desk, *, wrong: tuple[int, DismissForm] | None = None, status: int = 200) -> HttpResponse:
    """``wrong`` is the form that was not taken, with the gap it is about."""
    link, project = desk.link, desk.require_project()
    if link.scope is None or link.base is None:
        raise Http404
    asked = desk.request.GET.get("state", "")
    state = GapState(asked) if asked in GapState.values else GapState.OPEN
    counts = gap_counts(project, link.scope.base_id)
    may_rule = desk.may(Permission.REVIEW_KNOWLEDGE)
    page = reverse("gaps", args=[project.slug])
    context = {
        "rows": [
            (gap_row(each, project.slug), _form(each.pk, wrong) if may_rule and state is GapState.OPEN else None)
            for each in gaps_of(project, link.scope.base_id, state)[:SHOWN]
        ],
        "state": state.value,
        "parts": [
            {"words": words, "url": f"{page}?state={each.value}", "count": counts[each.value], "current": each is state}
            for each, words in TABS.items()
        ],
        "waiting": has_waiting(project, link.scope.base_id, link.base.current_revision),
        "beyond": max(0, counts[state.value] - SHOWN),
        "wrong": wrong[0] if wrong else None,
        "may_rule": may_rule,
        "tab": "gaps",
    }
    return desk.answer(PAGE, context, status=status)


def _form(pk: int, wrong: tuple[int, DismissForm] | None) -> DismissForm:
    if wrong is not None and wrong[0] == pk:
        return wrong[1]
    return DismissForm(auto_id=f"id_{pk}_%s")
