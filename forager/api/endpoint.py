"""The registry of endpoints and the one path every request takes through it.

request id → authenticate → scope → strict query → strict body → handler → JSON. A handler gets a ``Call`` and the ids
of its path, and returns a shape (a TypedDict of ``shapes``) or a ready response for streams.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import structlog
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.urls import path as url_path
from django.urls.resolvers import URLPattern
from pydantic import TypeAdapter, ValidationError

from forager.api import access, idempotency
from forager.api.access import Caller, Scope
from forager.api.errors import (
    ApiError,
    Busy,
    Conflicting,
    MethodNotAllowed,
    NotFound,
    StorageFull,
    StoreReadOnly,
    StoreUnreachable,
    UnsupportedMediaType,
    ValidationFailed,
    request_id_of,
)
from forager.api.errors import error_response as answer_error
from forager.model import storage
from forager.model.bases import KnowledgeBase

log = structlog.get_logger("forager.api")
UNREADABLE_BODY = (BadRequest, MultiPartParserError, SuspiciousOperation)
QUIET = ("/health", "/ready")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ONLY_LOOKED_AT = {"path"}
"""Of a body: a folder of this machine, which is refused like any other that is not there."""
UNWRITABLE = re.compile("[\0\ud800-\udfff]")
ANSWER: TypeAdapter[Any] = TypeAdapter(Any)
ALWAYS_POSSIBLE = (400, 401, 403, 404, 405, 500, 503, 507)


@dataclass(frozen=True, slots=True)
class Call[Q, B]:
    """One request, checked: ``query`` and ``body`` are the endpoint's own shapes."""

    request: HttpRequest
    caller: Caller
    query: Q
    body: B
    request_id: str

    def base(self, base_id: str) -> KnowledgeBase:
        return access.base_for(self.caller, base_id)

    def open_base(self, base_id: str) -> KnowledgeBase:
        """A base that takes new documents and work; an archived one is only read."""
        found = self.base(base_id)
        if found.state == "archived":
            raise Conflicting("This knowledge base is archived. Restore it first; nothing was added.")
        return found

    def fence(self, base_id: str) -> None:
        access.fence(self.caller, self.request, base_id)


type Handler = Callable[..., object]
PUBLIC = Caller("public", frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str
    path: str
    scope: Scope | None
    handler: Handler
    answer: Any
    query: Any
    body: Any
    status: int
    also: tuple[int, ...]
    errors: tuple[int, ...]
    summary: str

    @property
    def statuses(self) -> tuple[int, ...]:
        possible = (500, 405, 503, 507) if self.scope is None else ALWAYS_POSSIBLE
        written = (415,) if self.body is not None else ()
        repeated = (409,) if self.method == "POST" and self.scope is not None else ()
        return tuple(sorted({self.status, *self.also, *self.errors, *written, *repeated, *possible}))


@dataclass(slots=True)
class Registry:
    endpoints: list[Endpoint] = field(default_factory=list)

    def add(self, endpoint: Endpoint) -> None:
        self.endpoints.append(endpoint)

    def urlpatterns(self) -> list[URLPattern]:
        by_path: dict[str, dict[str, Endpoint]] = {}
        for endpoint in self.endpoints:
            by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
        return [url_path(f"api{path}", _view(path, methods)) for path, methods in by_path.items()]


registry = Registry()


def endpoint(
    method: str,
    path: str,
    scope: Scope | None,
    *,
    answer: Any,
    query: Any = None,
    body: Any = None,
    status: int = 200,
    also: tuple[int, ...] = (),
    errors: tuple[int, ...] = (),
) -> Callable[[Handler], Handler]:
    """Registers a handler. ``path`` is Django's, below ``/api``; the docstring's first line is the summary."""

    def register(handler: Handler) -> Handler:
        summary = (handler.__doc__ or "").strip().splitlines()[0]
        registry.add(Endpoint(method, path, scope, handler, answer, query, body, status, also, errors, summary))
        return handler

    return register


def _view(route: str, methods: Mapping[str, Endpoint]) -> Callable[..., HttpResponseBase]:
    def view(request: HttpRequest, **ids: str) -> HttpResponseBase:
        request_id, began = request_id_of(request), time.monotonic()
        try:
            response = _answer(request, methods, ids, request_id)
        except ApiError as error:
            response = answer_error(error, request_id)
        except UNREADABLE_BODY:
            response = answer_error(ValidationFailed("The body cannot be read as what it says it is."), request_id)
        except (OSError, OperationalError, InterfaceError) as error:
            response = answer_error(_storage_error(error, request_id), request_id)
        except Exception:
            log.exception("request_failed", request_id=request_id)
            response = answer_error(ApiError(), request_id)
        response.headers["X-Request-Id"] = request_id
        response.headers["X-Content-Type-Options"] = "nosniff"
        if response.status_code == MethodNotAllowed.status:
            response.headers["Allow"] = ", ".join(sorted(methods))
        _told(request, route, response.status_code, request_id, began)
        return response

    view.csrf_exempt = True  # type: ignore[attr-defined]
    return view


def _told(request: HttpRequest, route: str, status: int, request_id: str, began: float) -> None:
    """One line a request, by its route: an address may hold a question. What is asked every second is left out."""
    if route in QUIET and status < 400:
        return
    took = round((time.monotonic() - began) * 1000)
    method = request.method if request.method in METHODS else "other"
    log.info("request_done", request_id=request_id, method=method, route=route, status=status, ms=took)


def _storage_error(error: Exception, request_id: str) -> ApiError:
    kinds: dict[str, type[ApiError]] = {
        storage.FULL: StorageFull,
        storage.READ_ONLY: StoreReadOnly,
        storage.BUSY: Busy,
        storage.UNREACHABLE: StoreUnreachable,
    }
    what = storage.trouble(error)
    log.warning("storage_failed", request_id=request_id, kind=type(error).__name__, trouble=what)
    return kinds.get(what, ApiError)()


def _answer(
    request: HttpRequest, methods: Mapping[str, Endpoint], ids: Mapping[str, str], request_id: str
) -> HttpResponseBase:
    found = methods.get(request.method or "")
    if found is None:
        if any(e.scope is not None for e in methods.values()):
            access.authenticate(request)
        raise MethodNotAllowed
    caller = PUBLIC
    if found.scope is not None:
        caller = access.authenticate(request)
        access.require(caller, found.scope)
    if any("\0" in each for each in ids.values()):
        raise NotFound
    call: Call[Any, Any] = Call(request, caller, _query(found, request), _body(found, request), request_id)
    is_secret = found.scope is Scope.ADMIN  # a token's secret is in its answer and nowhere else
    repeat = None if is_secret else idempotency.repeatable(request, caller, call.body)
    status = found.status
    if repeat is None:
        result = found.handler(call, **ids)
    else:
        result, status = repeat.answer(lambda: found.handler(call, **ids), status)
    if isinstance(result, HttpResponseBase):
        return result
    if result is None:
        return HttpResponse(status=status)
    return HttpResponse(ANSWER.dump_json(result), status=status, content_type="application/json")


@lru_cache(maxsize=256)
def adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _query(found: Endpoint, request: HttpRequest) -> Any:
    given = {key: values[-1] for key, values in request.GET.lists()}
    if repeated := [key for key, values in request.GET.lists() if len(values) > 1]:
        raise ValidationFailed(fields=dict.fromkeys(repeated, "given more than once"))
    if found.query is None:
        if given:
            raise ValidationFailed("This route takes no query parameters.", fields=dict.fromkeys(given, "unknown"))
        return None
    return _checked(found.query, given, strict=False)


def _body(found: Endpoint, request: HttpRequest) -> Any:
    if found.body is None:
        return None
    if request.content_type != "application/json":
        raise UnsupportedMediaType("Send application/json.")
    try:
        given = json.loads(request.body or b"{}")
    except RequestDataTooBig as error:
        raise ValidationFailed("The body is too large.") from error
    except (ValueError, RecursionError) as error:
        raise ValidationFailed("The body is not JSON.") from error
    return _checked(found.body, given, strict=True)


def _checked(shape: Any, given: Any, *, strict: bool) -> Any:
    unwritable = set(_unwritable(given)) - (ONLY_LOOKED_AT if strict else set())
    if unwritable:
        raise ValidationFailed(
            fields=dict.fromkeys(sorted(unwritable), "holds a NUL or half a character, which no text of ours has")
        )
    try:
        return adapter(shape).validate_python(given, strict=strict)
    except ValidationError as error:
        fields = {".".join(str(p) for p in e["loc"]) or "body": e["msg"] for e in error.errors()}
        raise ValidationFailed(fields=fields) from error


def _unwritable(given: Any, at: str = "") -> Iterator[str]:
    """The fields that hold a NUL, which one database keeps and the other cannot, or a lone surrogate."""
    if isinstance(given, str) and UNWRITABLE.search(given):
        yield at or "body"
    parts = given.items() if isinstance(given, dict) else enumerate(given) if isinstance(given, list) else ()
    for name, value in parts:
        yield from _unwritable(value, f"{at}.{name}" if at else str(name))
