"""Answers for what went wrong before a page could be made."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import get_template

from console.http import current_request_id


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form came without its mark: an old tab or cookies switched off. Nothing was changed."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)


def failed(request: HttpRequest) -> HttpResponse:
    """Rendered without the request: what made it fail may be what a page needs."""
    return HttpResponse(get_template("500.html").render({"request_id": current_request_id()}), status=500)


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(get_template("400.html").render({"request_id": current_request_id()}), status=400)
