"""Structured logs with a request id on every line, from the browser's request to the engine's."""

import re
import sys
import time
import traceback
import uuid
from collections.abc import Callable, MutableMapping
from pathlib import PurePath
from types import TracebackType
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse

from console.measures import saw_request

log = structlog.get_logger("console.requests")

QUIET = ("livez", "readyz", "metrics")
"""Asked for by machines every few seconds: told only where they fail."""
FRAMES = 30
SANE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIdMiddleware:
    """Takes the caller's id when it is sane, else makes one; answers with it and binds it for logs and audit."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = request.headers.get("X-Request-Id", "")
        request_id = asked if SANE_ID.fullmatch(asked) else f"req_{uuid.uuid4().hex[:16]}"
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began = time.monotonic()
        response = self.get_response(request)
        response.headers["X-Request-Id"] = request_id
        self._told(request, response.status_code, time.monotonic() - began)
        return response

    def _told(self, request: HttpRequest, status: int, seconds: float) -> None:
        """The route by its name: an address may hold what somebody typed."""
        route = (request.resolver_match.url_name or "") if request.resolver_match else ""
        method = request.method if request.method in METHODS else "other"
        saw_request(route=route, method=method or "", status=status, seconds=seconds)
        if route not in QUIET or status >= 400:
            log.info("request.done", route=route, method=method, status=status, ms=round(seconds * 1000))


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def without_arguments(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A line of a library: what it says, not of what. Its arguments are addresses and values somebody sent."""
    record = event.get("_record")
    if record is not None and not event.get("_from_structlog", False):
        event["event"], event["logger"] = str(record.msg)[:200], record.name
    return event


def places_only(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Of an exception its kind and where it happened. Its message may quote a document, a token or a body."""
    told = event.pop("exc_info", None)
    error = told if isinstance(told, BaseException) else (told if isinstance(told, tuple) else sys.exc_info())[1]
    event.pop("exception", None)
    event.pop("stack_info", None)
    if told and error is not None:
        event["error"] = type(error).__name__
        event["places"] = _places(error.__traceback__)
    return event


def _places(at: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(at)[-FRAMES:]
    return [f"{PurePath(each.filename).name}:{each.lineno} {each.name}" for each in frames]


def logging_config(*, debug: bool) -> dict[str, Any]:
    """One JSON line a record on stderr (plain text for developers); never a document, a token or a body."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer = structlog.dev.ConsoleRenderer() if debug else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lines": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    *([] if debug else [without_arguments]),
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *([structlog.processors.format_exc_info] if debug else [places_only]),
                    renderer,
                ],
                "foreign_pre_chain": shared,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {"console": {"level": "INFO"}, "axes": {"level": "ERROR"}, "django": {"level": "ERROR"}},
    }
