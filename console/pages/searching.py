"""A person's kept searches: kept from the results, listed and dropped on their own page."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.pages.asked import Ask
from console.pages.desk import Desk, door
from console.pages.forms import text_input
from console.pages.show.facets import kept_words
from console.pages.show.text import visible_line
from console.policy import Permission
from console.projects.models import Project
from console.searches.actions import TooManySearches, drop_search, keep_search
from console.searches.models import MOST, SavedSearch
from console.searches.queries import address_of, searches_of
from console.wording import gettext_lazy as _

PAGE = "pages/knowledge/searches.html"


class SearchForm(forms.Form):
    """``q`` and what narrows it are the search as it stands on the page of results."""

    name = forms.CharField(
        label=_("Name"), max_length=80, widget=text_input(), error_messages={"required": _("Give the search a name.")}
    )
    q = forms.CharField(
        label=_("Search"),
        max_length=500,
        widget=text_input(),
        error_messages={"required": _("Say what to search for.")},
    )
    historical = forms.BooleanField(label=_("Include what no longer holds"), required=False)

    def filters(self) -> dict[str, str]:
        return Ask.of({name: str(value) for name, value in self.data.items()}).filters()


@door(get=Permission.READ_KNOWLEDGE, post=Permission.READ_KNOWLEDGE)
def searches(desk: Desk) -> HttpResponse:
    """One's own; only the person who kept a search sees it."""
    project = desk.require_project()
    posted = desk.request.method == "POST"
    if posted and desk.request.POST.get("drop", "").isdigit():
        drop_search(user=desk.user, project=project, pk=int(desk.request.POST["drop"][:18]))
        return redirect("searches", project.slug)
    form = SearchForm(desk.request.POST if posted else None)
    if posted and form.is_valid():
        try:
            kept = _keep(desk, project, form)
        except TooManySearches:
            form.add_error("name", gettext("You keep {most} searches here. Drop one first.").format(most=MOST))
        else:
            messages.success(
                desk.request,
                gettext("Kept as “{name}”. It stands on Knowledge and in Find anything.").format(name=kept.name),
            )
            return redirect(f"{reverse('knowledge', args=[project.slug])}?{address_of(kept)}")
    context = {"form": form, "rows": kept_searches(desk), "tab": "search"}
    return desk.answer(PAGE, context, status=422 if posted else 200)


def kept_searches(desk: Desk) -> list[dict[str, object]]:
    """Rows of ``name``, ``query``, ``also`` (filters in words), ``url`` and ``pk``."""
    project = desk.require_project()
    return [_row(each, reverse("knowledge", args=[project.slug])) for each in searches_of(desk.user, project)]


def _keep(desk: Desk, project: Project, form: SearchForm) -> SavedSearch:
    name, query = visible_line(form.cleaned_data["name"]), " ".join(form.cleaned_data["q"].split())
    return keep_search(user=desk.user, project=project, name=name[:80], query=query, filters=form.filters())


def _row(each: SavedSearch, page: str) -> dict[str, object]:
    return {
        "pk": each.pk,
        "name": each.name,
        "query": visible_line(each.query),
        "also": kept_words(each.filters),
        "url": f"{page}?{address_of(each)}",
    }
