"""Answers for what went wrong before a page could be made."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form came without its mark: an old tab or cookies switched off. Nothing was changed."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)
