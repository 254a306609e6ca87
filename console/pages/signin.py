"""Signing in and out."""

from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from console.pages.desk import Desk, door, open_door
from console.pages.forms import SignInForm
from console.pages.frame import theme_of
from console.people.actions import note_refused_sign_in
from console.people.actions import sign_in as start_session
from console.people.actions import sign_out as end_session
from console.people.models import User
from console.policy import Door

MISMATCH = (
    "E-mail and password do not match. After "
    f"{settings.AXES_FAILURE_LIMIT} tries in a row sign-in pauses for 5 minutes."
)
LOCKED = "Too many tries. Sign-in pauses for 5 minutes for this address; an administrator can set a new password."


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
        form.add_error("password", LOCKED if locked else MISMATCH)
        return _page(request, form, status=429 if locked else 422)
    start_session(request=request, user=user)
    return redirect(_next(request))


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
