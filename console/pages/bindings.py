"""Bindings: which base each project reads and by whose binding; what the workspace and everyone read, if anything."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.forms import BindForm
from console.pages.frame import reads_words
from console.pages.show.times import Moment, moment
from console.pages.state import bases_of, state_note
from console.policy import Door, Permission
from console.projects.actions import bind_project, bind_shared, unbind_project, unbind_shared
from console.projects.models import Project, SharedBinding
from console.projects.scopes import SHARED, Reading, readings_of
from console.wording import gettext_lazy as _
from knowledge.records import Base
from knowledge.scope import Level, Unresolved

PROJECT = "project:"
WORDS = {
    Level.WORKSPACE: _("Workspace: every project without a base of its own"),
    Level.GLOBAL: _("Global: every project the workspace gives none, general knowledge only"),
}


class PlacedBindForm(BindForm):
    """A base, and what reads it: one of the two shared levels or a project."""

    what = forms.ChoiceField(
        label=_("For"),
        widget=forms.Select(attrs={"class": "input"}),
        error_messages={
            "required": _("Choose what reads it."),
            "invalid_choice": _("There is no such project or level. Choose one of the list."),
        },
    )
    field_order = ("what", "base")

    def __init__(self, *args: object, bases: tuple[Base, ...], projects: list[Project], **kwargs: object) -> None:
        super().__init__(*args, bases=bases, **kwargs)
        field = self.fields["what"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                *((level.value, words) for level, words in WORDS.items()),
                *((PROJECT + each.slug, each.name) for each in projects),
            ]


@dataclass(frozen=True, slots=True)
class SharedRow:
    level: str
    words: str
    base: str
    base_id: str
    bound: Moment | None
    by: str


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """``reads`` says what it comes to; ``base_id`` is empty where it reads nothing."""

    name: str
    slug: str
    reads: str
    base_id: str
    bound: Moment | None
    is_own: bool
    is_mine: bool


@door(get=Door.SIGNED_IN, post=Permission.MANAGE_SETTINGS)
def bindings(desk: Desk) -> HttpResponse:
    manages, posted = desk.may(Permission.MANAGE_SETTINGS), desk.request.method == "POST"
    projects = list(Project.objects.select_related("binding")) if manages else desk.projects
    if posted and "unbind" in desk.request.POST:
        return _unbound(desk, desk.request.POST["unbind"], projects)
    form = None
    if manages and desk.link.state.ready:
        form = PlacedBindForm(desk.request.POST if posted else None, bases=bases_of(desk), projects=projects)
    if form is not None and posted and form.is_valid():
        return _bound(desk, form, projects)
    context = {
        "note": None if desk.link.state.ready else state_note(desk),
        "shared": _shared(),
        "rows": _rows(desk, projects),
        "form": form,
        "manages": manages,
        "ready": desk.link.state.ready,
    }
    return desk.answer("pages/connection/bindings.html", context, status=422 if posted else 200)


def _bound(desk: Desk, form: PlacedBindForm, projects: list[Project]) -> HttpResponse:
    what, base_id = form.cleaned_data["what"], form.cleaned_data["base"]
    base = next(each for each in bases_of(desk) if each.id == base_id)
    if what in list(SHARED):
        bind_shared(by=desk.by, level=Level(what), base_id=base.id, base_name=base.name)
    else:
        project = next(each for each in projects if PROJECT + each.slug == what)
        bind_project(by=desk.by, project=project, base_id=base.id, base_name=base.name)
    messages.success(desk.request, gettext("Bound. {name} is read from the next request on.").format(name=base.name))
    return redirect("bindings")


def _unbound(desk: Desk, what: str, projects: list[Project]) -> HttpResponse:
    project = next((each for each in projects if PROJECT + each.slug == what), None)
    if what in list(SHARED):
        done = unbind_shared(by=desk.by, level=Level(what))
    else:
        done = project is not None and unbind_project(by=desk.by, project=project)
    if done:
        messages.success(
            desk.request, gettext("Unbound. Nothing in the base changed; the table says what is read now.")
        )
    else:
        messages.warning(desk.request, gettext("It was not bound. Nothing was changed."))
    return redirect("bindings")


def _shared() -> list[SharedRow]:
    held = {each.level: each for each in SharedBinding.objects.all()}
    return [_shared_row(level, held.get(level.value)) for level in SHARED]


def _shared_row(level: Level, held: SharedBinding | None) -> SharedRow:
    words = str(WORDS[level])
    if held is None:
        return SharedRow(level.value, words, "", "", None, "")
    return SharedRow(level.value, words, held.base_name, held.base_id, moment(held.bound_at), held.bound_by)


def _rows(desk: Desk, projects: list[Project]) -> list[ProjectRow]:
    readings = readings_of(projects)
    return [_row(desk, each, readings[each.pk]) for each in projects]


def _row(desk: Desk, project: Project, reading: Reading | Unresolved) -> ProjectRow:
    own = getattr(project, "binding", None)
    mine = project in desk.projects
    return ProjectRow(
        name=project.name,
        slug=project.slug,
        reads=reads_words(reading),
        base_id=reading.scope.base_id if isinstance(reading, Reading) else "",
        bound=moment(own.bound_at) if own is not None else None,
        is_own=own is not None,
        is_mine=mine and Permission.MANAGE_KNOWLEDGE in desk.own_permissions,
    )
