"""Signing in and out."""

import time
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from console.pages.account_forms import CodeForm
from console.pages.desk import Desk, door, open_door
from console.pages.forms import SignInForm
from console.pages.frame import theme_of
from console.people.actions import note_refused_sign_in
from console.people.actions import sign_in as start_session
from console.people.actions import sign_out as end_session
from console.people.models import User
from console.people.twofactor import WrongCode, check, has_second_factor
from console.policy import Door
from console.wording import gettext_lazy as _

MISMATCH = _("E-mail and password do not match. After {tries} tries in a row sign-in pauses for 5 minutes.")
LOCKED = _(
    "Too many tries. Sign-in with this e-mail address pauses for 5 minutes here. A new password from an administrator "
    "works at once."
)

WRONG_CODE = _(
    "That is not the code of now. Just after a wrong one the right one is refused, too: wait for the next one, or use "
    "a recovery code. After several wrong ones the app's codes pause for a while."
)
PENDING = "second_step"
PENDING_SECONDS = 300
MOST_TRIES = 5


@open_door("GET", "HEAD", "POST")
def sign_in(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User):
        return redirect("home")
    posted = request.method == "POST"
    form = SignInForm(request.POST if posted else None)
    if not posted:
        return _page(request, form)
    if not form.is_valid():
        return _page(request, form, status=422)
    email = form.cleaned_data["email"].lower()
    user = authenticate(request, username=email, password=form.cleaned_data["password"])
    if not isinstance(user, User):
        locked = bool(getattr(request, "axes_locked_out", False))
        note_refused_sign_in(email=email, locked=locked)
        form.add_error("password", LOCKED if locked else MISMATCH.format(tries=settings.AXES_FAILURE_LIMIT))
        return _page(request, form, status=429 if locked else 422)
    if has_second_factor(user):
        request.session.cycle_key()
        request.session[PENDING] = [user.pk, int(time.time()), 0, user.get_session_auth_hash()]
        return redirect(f"{reverse('sign-in-code')}?{urlencode({'next': _next(request)})}")
    start_session(request=request, user=user)
    return redirect(_next(request))


@open_door("GET", "HEAD", "POST")
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """The second step: only for who gave the right password a moment ago, and for a few tries."""
    user, tries = _pending(request)
    if user is None:
        return redirect("sign-in")
    posted = request.method == "POST"
    form = CodeForm(request.POST if posted else None)
    if not posted or not form.is_valid():
        return _code_page(request, form, status=422 if posted else 200)
    try:
        check(user=user, code=form.cleaned_data["code"])
    except WrongCode:
        note_refused_sign_in(email=user.email, locked=tries + 1 >= MOST_TRIES)
        if tries + 1 >= MOST_TRIES:
            request.session.flush()
            return redirect("sign-in")
        pk, since, _, password = request.session[PENDING]
        request.session[PENDING] = [pk, since, tries + 1, password]
        form.add_error("code", WRONG_CODE)
        return _code_page(request, form, status=422)
    request.session.pop(PENDING)
    start_session(request=request, user=user)
    return redirect(_next(request))


def _pending(request: HttpRequest) -> tuple[User | None, int]:
    """Who gave the right password; one that was changed meanwhile opens nothing any more."""
    pk, since, tries, password = request.session.get(PENDING, (0, 0, 0, ""))
    if not pk or time.time() - since > PENDING_SECONDS:
        return None, 0
    user = User.objects.filter(pk=pk, is_active=True).first()
    return (user, int(tries)) if user and user.get_session_auth_hash() == password else (None, 0)


def _code_page(request: HttpRequest, form: CodeForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "theme": theme_of(request), "next": request.POST.get("next", request.GET.get("next", ""))}
    return render(request, "pages/account/code.html", context, status=status)


@door(post=Door.SIGNED_IN)
def sign_out(desk: Desk) -> HttpResponse:
    end_session(request=desk.request, user=desk.user)
    return redirect("sign-in")


def locked_out(request: HttpRequest, response: HttpResponse | None = None, credentials: Any = None) -> HttpResponse:
    """Called instead of the view's answer once an address is locked."""
    form = SignInForm(request.POST)
    form.is_valid()
    form.add_error("password", LOCKED)
    return _page(request, form, status=429)


def _page(request: HttpRequest, form: SignInForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "theme": theme_of(request), "next": request.POST.get("next", request.GET.get("next", ""))}
    return render(request, "pages/account/sign-in.html", context, status=status)


def _next(request: HttpRequest) -> str:
    asked = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()})
    return asked if safe else "/"
