"""Every route needs a signed-in person unless it says otherwise; a region that outlived its session leaves whole."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from console.http import is_fragment, leave_to
from console.people.models import User
from console.people.sessions import is_live


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    def handle_no_permission(  # type: ignore[override]  # a header leads there too
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        if is_fragment(request):
            return leave_to(reverse("sign-in"))
        return super().handle_no_permission(request, view_func)


class LiveSessionMiddleware:
    """A session that was ended from elsewhere is signed out before anything is asked of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if isinstance(request.user, User) and not is_live(request, request.user):
            logout(request)
        return self.get_response(request)
