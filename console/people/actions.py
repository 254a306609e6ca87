"""Everything that changes a person. Each is one transaction: allow, change, one audit event."""

import secrets

from axes.utils import reset as forget_tries
from django.contrib.auth import login, logout
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext

from console.audit.actions import record
from console.audit.models import Actor
from console.people.models import User
from console.policy import Role

BACKEND = "django.contrib.auth.backends.ModelBackend"


class NotAllowed(Exception):
    """The change would leave the console without anyone to run it; the message says so."""


def one_time_password() -> str:
    return "-".join(secrets.token_hex(3) for _ in range(4))


@transaction.atomic
def add_person(*, by: Actor, email: str, name: str, role: Role) -> tuple[User, str]:
    """The new person and the one-time password to hand over; it is stored only as a hash."""
    password = one_time_password()
    user = User(email=email.lower(), name=name, role=role.value, must_change_password=True)
    user.set_password(password)
    user.save()
    record(by=by, action="person.added", target=user.email, after={"name": name, "role": role.value})
    return user, password


@transaction.atomic
def change_person(*, by: Actor, user: User, name: str, role: Role, is_active: bool) -> User:
    # all administrators, not this one alone: two who leave at once would each see the other stay
    administrators = User.objects.filter(role=Role.ADMINISTRATOR.value, is_active=True)
    list(administrators.select_for_update().order_by("pk").values_list("pk"))
    held = User.objects.select_for_update().get(pk=user.pk)
    if held.as_role is Role.ADMINISTRATOR and (role is not Role.ADMINISTRATOR or not is_active):
        _keep_one_administrator(held)
    before = _facts(held)
    held.name, held.role, held.is_active = name, role.value, is_active
    held.save(update_fields=["name", "role", "is_active"])
    if not is_active:
        held.sessions.all().delete()
    record(by=by, action="person.changed", target=held.email, before=before, after=_facts(held))
    return held


@transaction.atomic
def reset_password(*, by: Actor, user: User) -> str:
    """A new one-time password; every session of the person ends with the old one, and so does a pause of signing in."""
    password = one_time_password()
    user.set_password(password)
    user.must_change_password = True
    user.save(update_fields=["password", "must_change_password"])
    user.sessions.all().delete()
    forget_tries(username=user.email)
    record(by=by, action="person.password_reset", target=user.email)
    return password


@transaction.atomic
def choose_password(*, user: User, password: str) -> User:
    user.set_password(password)
    user.must_change_password = False
    user.save(update_fields=["password", "must_change_password"])
    record(by=user.actor, action="person.password_chosen", target=user.email)
    return user


@transaction.atomic
def sign_in(*, request: HttpRequest, user: User) -> None:
    login(request, user, backend=BACKEND)
    record(by=user.actor, action="session.started", target=user.email)


@transaction.atomic
def sign_out(*, request: HttpRequest, user: User) -> None:
    logout(request)
    record(by=user.actor, action="session.ended", target=user.email)


@transaction.atomic
def note_refused_sign_in(*, email: str, locked: bool) -> None:
    """A refused try is audited with the address tried, never the password."""
    by = Actor(key="visitor", name="Visitor")
    record(by=by, action="session.refused", target=email[:200] or "(empty)", after={"locked": locked})


def _keep_one_administrator(leaving: User) -> None:
    others = User.objects.filter(role=Role.ADMINISTRATOR.value, is_active=True).exclude(pk=leaving.pk)
    if not others.exists():
        raise NotAllowed(gettext("This is the last administrator. Make someone else one first."))


def _facts(user: User) -> dict[str, str | bool]:
    return {"name": user.name, "role": user.role, "active": user.is_active}
