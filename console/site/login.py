"""Every route needs a signed-in person unless it says otherwise; a region that outlived its session leaves whole."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from console.http import is_fragment, leave_to


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    def handle_no_permission(  # type: ignore[override]  # a header leads there too
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        if is_fragment(request):
            return leave_to(reverse("sign-in"))
        return super().handle_no_permission(request, view_func)
