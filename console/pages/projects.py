"""Projects: the list, making one, who belongs to it, and which knowledge base it reads."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console.bases.actions import make_base_and_bind
from console.pages.desk import Desk, door
from console.pages.forms import BindForm, MemberForm, NewBaseForm, ProjectForm
from console.pages.state import bases_of, failure_note, unreadable
from console.people.models import User
from console.policy import Door, Permission
from console.projects.actions import add_member, bind_project, make_project, remove_member
from console.projects.models import Project
from knowledge.failures import Failed


@door(get=Door.SIGNED_IN)
def home(desk: Desk) -> HttpResponse:
    if desk.project is None:
        return redirect("projects")
    return redirect("sources", desk.project.slug)


@door(get=Door.SIGNED_IN, post=Permission.MANAGE_SETTINGS)
def projects(desk: Desk) -> HttpResponse:
    posted = desk.request.method == "POST"
    form = ProjectForm(desk.request.POST if posted else None)
    if posted and form.is_valid():
        project = make_project(by=desk.by, members=(desk.user,), **form.cleaned_data)
        messages.success(
            desk.request, gettext("Made {name}. It reads no knowledge base yet.").format(name=project.name)
        )
        return redirect("sources", project.slug)
    manages = desk.may(Permission.MANAGE_SETTINGS)
    listed = Project.objects.select_related("binding") if manages else desk.projects
    context = {"form": form if manages else None, "projects": [_row(each, desk) for each in listed]}
    return desk.answer("pages/projects/list.html", context, status=422 if posted else 200)


@door(get=Permission.MANAGE_SETTINGS, post=Permission.MANAGE_SETTINGS)
def members(desk: Desk, slug: str) -> HttpResponse:
    """Who belongs to a project. An administrator sees every project's members, not what it reads."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise Http404
    if desk.request.method == "POST" and "remove" in desk.request.POST:
        return _remove(desk, project)
    form = MemberForm(
        desk.request.POST if desk.request.method == "POST" else None,
        people=User.objects.exclude(memberships__project=project),
    )
    if form.is_bound and form.is_valid():
        person = form.cleaned_data["person"]
        add_member(by=desk.by, project=project, user=person)
        messages.success(
            desk.request, gettext("{name} belongs to {name_2} now.").format(name=person.name, name_2=project.name)
        )
        return redirect("members", project.slug)
    people = User.objects.filter(memberships__project=project)
    context = {"project": project, "people": people, "form": form}
    return desk.answer("pages/projects/members.html", context, status=422 if form.is_bound else 200)


@door(get=Permission.MANAGE_KNOWLEDGE, post=Permission.MANAGE_KNOWLEDGE, binds=True)
def binding(desk: Desk) -> HttpResponse:
    """Bind one of the engine's knowledge bases to the project."""
    project = desk.require_project()
    if not desk.link.state.ready:
        return unreadable(desk, gettext("Knowledge base"), place="sources")
    bases = bases_of(desk)
    posted = desk.request.method == "POST"
    form = BindForm(desk.request.POST if posted else None, bases=bases)
    if posted and form.is_valid():
        base = next(base for base in bases if base.id == form.cleaned_data["base"])
        bind_project(by=desk.by, project=project, base_id=base.id, base_name=base.name)
        messages.success(
            desk.request, gettext("{name} reads {name_2} now.").format(name=project.name, name_2=base.name)
        )
        return redirect("sources", project.slug)
    return _binding_page(desk, form, NewBaseForm(), status=422 if posted else 200)


@door(post=Permission.MANAGE_KNOWLEDGE, binds=True)
def make_base(desk: Desk) -> HttpResponse:
    """Make a knowledge base and bind it, in one step."""
    project = desk.require_project()
    if not desk.link.state.ready:
        return unreadable(desk, gettext("Knowledge base"), place="sources")
    form = NewBaseForm(desk.request.POST)
    if not form.is_valid():
        return _binding_page(desk, BindForm(bases=bases_of(desk)), form, status=422)
    made = make_base_and_bind(by=desk.by, project=project, provider=desk.link.provider, **form.cleaned_data)
    if isinstance(made, Failed):
        note = failure_note(made, gettext("No knowledge base was made and the project reads what it read before."))
        return _binding_page(desk, BindForm(bases=bases_of(desk)), form, note=note, status=503)
    messages.success(
        desk.request,
        gettext("Made {base_name}; {name} reads it now.").format(base_name=made.value.base_name, name=project.name),
    )
    return redirect("sources", project.slug)


def _binding_page(
    desk: Desk, bind: BindForm, make: NewBaseForm, *, note: object = None, status: int = 200
) -> HttpResponse:
    context = {
        "bind": bind,
        "make": make,
        "note": note,
        "project": desk.require_project(),
        "reading": desk.reading,
    }
    return desk.answer("pages/projects/binding.html", context, status=status)


def _remove(desk: Desk, project: Project) -> HttpResponse:
    raw = desk.request.POST["remove"]
    person = User.objects.filter(pk=int(raw), memberships__project=project).first() if raw.isdecimal() else None
    if person is None:
        raise Http404
    remove_member(by=desk.by, project=project, user=person)
    messages.success(
        desk.request, gettext("{name} no longer belongs to {name_2}.").format(name=person.name, name_2=project.name)
    )
    return redirect("members", project.slug)


def _row(project: Project, desk: Desk) -> dict[str, object]:
    binding = getattr(project, "binding", None)
    return {
        "name": project.name,
        "slug": project.slug,
        "description": project.description,
        "reads": binding.base_name if binding else "",
        "base_id": binding.base_id if binding else "",
        "mine": project in desk.projects,
    }
