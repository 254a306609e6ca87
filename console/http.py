"""The only reader of HX-* headers: a page is whole, or the one region the browser asked to refresh."""

from collections.abc import Mapping
from typing import Any, cast

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseStopPolling
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


STOP_POLLING: int = HttpResponseStopPolling.status_code


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a region: not a boosted visit, not a history restore."""
    htmx = cast(HtmxHttpRequest, request).htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def refreshes(request: HttpRequest, target: str) -> bool:
    """Whether htmx asks for exactly this region."""
    return is_fragment(request) and cast(HtmxHttpRequest, request).htmx.target == target


def render_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    regions: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render ``template``, or the partial of it that the server maps the target element to.

    ``regions`` maps an element id to a template name such as ``pages/sources/list.html#jobs``. An unknown target
    gets the whole page: the browser never names a block.
    """
    target = cast(HtmxHttpRequest, request).htmx.target if is_fragment(request) else None
    name = (regions or {}).get(target or "", template)
    response = render(request, name, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target", "HX-Boosted", "HX-History-Restore-Request"])
    return response


def current_request_id() -> str:
    """The id of the request being answered, or of the turn of a command; empty outside both."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


def named(request: HttpRequest) -> dict[str, str]:
    """For every template: the id a person tells an administrator."""
    return {"request_id": current_request_id()}


def leave_to(url: str) -> HttpResponse:
    """For a region that cannot be had any more: the whole page goes to ``url``."""
    return HttpResponse(headers={"HX-Redirect": url})


def tell_job_ended(response: HttpResponse) -> None:
    """Let the other regions of the page know that what they show may have changed."""
    response.headers["HX-Trigger"] = "job-ended"
