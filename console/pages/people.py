"""People: who may sign in, in which role."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext

from console.pages.desk import Desk, door
from console.pages.forms import AddPersonForm, PersonForm
from console.people.actions import NotAllowed, add_person, change_person, reset_password
from console.people.models import User
from console.people.queries import everyone, find_person
from console.people.sessions import end_other_sessions, sessions_of
from console.people.twofactor import has_second_factor, turn_off
from console.policy import Permission, Role


@door(get=Permission.MANAGE_SETTINGS, post=Permission.MANAGE_SETTINGS)
def people(desk: Desk) -> HttpResponse:
    posted = desk.request.method == "POST"
    form = AddPersonForm(desk.request.POST if posted else None)
    made: tuple[User, str] | None = None
    if posted and form.is_valid():
        data = form.cleaned_data
        made = add_person(by=desk.by, email=data["email"], name=data["name"], role=Role(data["role"]))
        form = AddPersonForm()
    context = {"form": form, "people": everyone(), "made": made}
    return desk.answer("pages/people/list.html", context, status=422 if posted and made is None else 200)


@door(get=Permission.MANAGE_SETTINGS, post=Permission.MANAGE_SETTINGS)
def person(desk: Desk, pk: str) -> HttpResponse:
    user = _person(pk)
    posted = desk.request.method == "POST"
    form = PersonForm(desk.request.POST if posted else None, initial=_initial(user))
    if posted and form.is_valid():
        data = form.cleaned_data
        try:
            change_person(
                by=desk.by, user=user, name=data["name"], role=Role(data["role"]), is_active=data["is_active"]
            )
        except NotAllowed as refused:
            form.add_error("role", str(refused))
        else:
            messages.success(desk.request, gettext("Changed {data}.").format(data=data["name"]))
            return redirect("people")
    context = {
        "form": form,
        "person": user,
        "sessions": len(sessions_of(user)),
        "second_factor": has_second_factor(user),
    }
    return desk.answer("pages/people/detail.html", context, status=422 if posted else 200)


@door(post=Permission.MANAGE_SETTINGS)
def new_password(desk: Desk, pk: str) -> HttpResponse:
    """A one-time password, shown once on this answer and nowhere else."""
    user = _person(pk)
    password = reset_password(by=desk.by, user=user)
    context = {"form": AddPersonForm(), "people": everyone(), "made": (user, password)}
    return desk.answer("pages/people/list.html", context)


@door(post=Permission.MANAGE_SETTINGS)
def person_sessions_end(desk: Desk, pk: str) -> HttpResponse:
    user = _person(pk)
    ended = end_other_sessions(by=desk.by, user=user, keep=0)
    messages.success(
        desk.request,
        ngettext("Ended {ended} session of {name}.", "Ended {ended} sessions of {name}.", ended).format(
            ended=ended, name=user.name
        ),
    )
    return redirect("person", pk=user.pk)


@door(post=Permission.MANAGE_SETTINGS)
def person_factor_off(desk: Desk, pk: str) -> HttpResponse:
    """For who lost the device and the recovery codes; the password still holds."""
    user = _person(pk)
    turn_off(by=desk.by, user=user)
    messages.success(desk.request, gettext("The second factor of {name} is off.").format(name=user.name))
    return redirect("person", pk=user.pk)


def _person(pk: str) -> User:
    user = find_person(int(pk))
    if user is None:
        raise Http404
    return user


def _initial(user: User) -> dict[str, str | bool]:
    return {"name": user.name, "role": user.role, "is_active": user.is_active}
