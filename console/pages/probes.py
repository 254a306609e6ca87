"""Whether this process lives and may be sent requests; no detail for outsiders, figures for whoever watches it."""

import hmac
from functools import wraps

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from console.connection.settings import declared
from console.pages.desk import Desk, OpenView, door, open_door
from console.pages.figures import exposition
from console.policy import Permission

BEARER = "bearer "
TEXT = "text/plain; version=0.0.4; charset=utf-8"


@open_door("GET", "HEAD")
def livez(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


@open_door("GET", "HEAD")
def readyz(request: HttpRequest) -> HttpResponse:
    """Ready when the console's own database answers; the engine may be away and pages still render."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "not ready"}, status=503)
    return JsonResponse({"status": "ok"})


def or_by_token(view: OpenView) -> OpenView:
    """A machine that scrapes has no session: it comes in with the ``metrics_token``, where one is set."""

    @wraps(view)
    def enter(request: HttpRequest, /, **kwargs: str) -> HttpResponseBase:
        if request.method in ("GET", "HEAD") and _is_token(request.headers.get("Authorization", "")):
            return _figures()
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, **kwargs)

    return login_not_required(enter)


@or_by_token
@door(get=Permission.MANAGE_SETTINGS)
def metrics(desk: Desk) -> HttpResponse:
    return _figures()


def _figures() -> HttpResponse:
    return HttpResponse(exposition(), content_type=TEXT)


def _is_token(header: str) -> bool:
    """Never true while none is set."""
    expected = declared.read().text("metrics_token")
    given = header[len(BEARER) :].strip() if header.lower().startswith(BEARER) else ""
    return bool(expected) and hmac.compare_digest(given.encode(), expected.encode())
