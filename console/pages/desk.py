"""The door of every page: who comes in, to which project, with which permissions, and what the engine says.

Every route is wrapped in ``door``; the access test reads what each asks for and fails on one that declares nothing.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import Any, Protocol

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from console.audit.models import Actor
from console.bases.actions import Hand
from console.connection.link import Link, open_link, read_by
from console.http import render_page
from console.pages.frame import Frame, frame_of
from console.people.models import User
from console.policy import Access, Door, Permission, is_everywhere, over_shared
from console.projects.models import Project
from console.projects.queries import permissions_of, project_of, projects_of
from console.projects.scopes import Reading
from knowledge.scope import KnowledgeScope

TOUCH_AFTER_SECONDS = 300


class Desk:
    """One request of one signed-in person."""

    def __init__(self, request: HttpRequest, user: User, project: Project | None) -> None:
        self.request = request
        self.user = user
        self.project = project

    @property
    def by(self) -> Actor:
        return self.user.actor

    @cached_property
    def own_permissions(self) -> frozenset[Permission]:
        """By role and membership, whatever the project reads."""
        return permissions_of(self.user, self.project)

    @cached_property
    def permissions(self) -> frozenset[Permission]:
        """Over a base that others share a project reads, and changes nothing."""
        shared = self.reading is not None and self.reading.is_shared
        return over_shared(self.own_permissions) if shared else self.own_permissions

    @cached_property
    def projects(self) -> list[Project]:
        return projects_of(self.user)

    @cached_property
    def reading(self) -> Reading | None:
        return read_by(self.project)

    @cached_property
    def link(self) -> Link:
        return open_link(self.reading)

    @cached_property
    def frame(self) -> Frame:
        frame = frame_of(self.request, self.user, self.project, self.projects, self.permissions, self.link)
        may_bind = self.may_bind() and self.link.state.ready and (self.reading is None or self.reading.is_shared)
        return frame.offering(reverse("binding", args=[self.require_project().slug])) if may_bind else frame

    def may(self, permission: Permission) -> bool:
        return permission in self.permissions

    def may_bind(self) -> bool:
        """Which base the project reads is its managers' to say, whatever it reads now."""
        return Permission.MANAGE_KNOWLEDGE in self.own_permissions

    def require_project(self) -> Project:
        if self.project is None:
            raise Http404
        return self.project

    def require_scope(self) -> KnowledgeScope:
        """What to read. Pages answer with the engine's state or the offer to bind before they get here."""
        if self.link.scope is None:
            raise Http404
        return self.link.scope

    def require_hand(self, *, changes: bool = True) -> Hand:
        """What an act on the base needs. Pages answer with the engine's state before they get here.

        ``changes``: the act changes something, which a base that others share does not allow.
        """
        link = self.link
        if link.scope is None or not link.readable or (changes and link.reading and link.reading.is_shared):
            raise PermissionDenied
        return Hand(by=self.by, project=self.require_project(), scope=link.scope, provider=link.provider)

    def answer(
        self, template: str, context: Mapping[str, Any], *, regions: Mapping[str, str] | None = None, status: int = 200
    ) -> HttpResponse:
        known = {"bar": "base.html#bar", **(regions or {})}
        return render_page(self.request, template, {**context, "frame": self.frame}, regions=known, status=status)


class OpenView(Protocol):
    def __call__(self, request: HttpRequest, /, **kwargs: str) -> HttpResponseBase: ...


def door(
    *, get: Access | None = None, post: Access | None = None, binds: bool = False
) -> Callable[[Callable[..., HttpResponseBase]], OpenView]:
    """Declare what a route asks for, by method. A project in the URL is loaded for a member or answers 404.

    ``binds``: it acts on the project's binding, not on the base, so that a shared base takes no permission away.
    """
    asks = {"GET": get, "HEAD": get, "POST": post}
    allowed = [method for method, access in asks.items() if access is not None]

    def wrap(view: Callable[..., HttpResponseBase]) -> OpenView:
        @wraps(view)
        def enter(request: HttpRequest, **kwargs: str) -> HttpResponseBase:
            access = asks.get(request.method or "")
            if access is None:
                return HttpResponseNotAllowed(allowed)
            desk = _seat(request, kwargs)
            if must_choose_password(desk, view.__name__):
                return redirect("password")
            held = desk.own_permissions if binds else desk.permissions
            if isinstance(access, Permission) and access not in held:
                raise _refusal(desk, access)
            return view(desk, **kwargs)

        return _declared(enter, asks)

    return wrap


def open_door(*methods: str) -> Callable[[Callable[..., HttpResponseBase]], OpenView]:
    """A route anyone may use: sign-in and the two liveness probes."""
    asks: dict[str, Access | None] = dict.fromkeys(methods, Door.ANYONE)

    def wrap(view: Callable[..., HttpResponseBase]) -> OpenView:
        @wraps(view)
        def enter(request: HttpRequest, **kwargs: str) -> HttpResponseBase:
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            return view(request, **kwargs)

        return _declared(login_not_required(enter), asks)

    return wrap


def must_choose_password(desk: Desk, view: str) -> bool:
    return desk.user.must_change_password and view not in ("password", "sign_out", "theme")


def _declared(enter: Callable[..., HttpResponseBase], asks: Mapping[str, Access | None]) -> OpenView:
    enter.asks = asks  # type: ignore[attr-defined]
    return enter


def _seat(request: HttpRequest, kwargs: dict[str, str]) -> Desk:
    user = request.user
    if not isinstance(user, User):
        raise PermissionDenied
    _touch(request)
    slug = kwargs.pop("project", "")
    if not slug:
        return Desk(request, user, _last_project(request, user))
    project = project_of(user, slug)
    if project is None:
        raise Http404
    if request.session.get("project") != slug:
        request.session["project"] = slug
    return Desk(request, user, project)


def _last_project(request: HttpRequest, user: User) -> Project | None:
    """Pages outside a project still show the bar of the last one used."""
    slug = request.session.get("project", "")
    project = project_of(user, slug) if slug else None
    return project or next(iter(projects_of(user)), None)


def _refusal(desk: Desk, access: Permission) -> Exception:
    """A member learns what they lack; anyone else learns nothing. What is said is on the page in place of its own."""
    if desk.project is None:
        return Http404()
    if is_everywhere(access):
        return PermissionDenied(gettext("Your role does not include it. An administrator can."))
    return PermissionDenied()


def _touch(request: HttpRequest) -> None:
    """Keep a used session alive without a write on every poll."""
    now = int(timezone.now().timestamp())
    if now - request.session.get("seen", 0) > TOUCH_AFTER_SECONDS:
        request.session["seen"] = now
