"""The door of every address for agents: a method it takes, a usable token, and an answer in the one envelope."""

from collections.abc import Callable
from functools import wraps
from typing import Protocol

import structlog
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from console.agents.callers import TokenCaller, caller_of
from console.http import current_request_id
from console.policy import Access, Door
from knowledge.api.envelope import Reply, refusal

log = structlog.get_logger("console.api")

BEARER = "bearer "


class AgentView(Protocol):
    def __call__(self, request: HttpRequest, /, **kwargs: str) -> HttpResponse: ...


class Answering(Protocol):
    def __call__(self, request: HttpRequest, caller: TokenCaller, /, **named: str) -> Reply: ...


def agent_door(*methods: str) -> Callable[[Answering], AgentView]:
    """A session is nothing here: cookies are not looked at, so that no page elsewhere can make a browser ask."""
    asks: dict[str, Access | None] = dict.fromkeys(methods, Door.AGENT)

    def wrap(view: Answering) -> AgentView:
        @wraps(view)
        def enter(request: HttpRequest, /, **kwargs: str) -> HttpResponse:
            request_id = current_request_id()
            if request.method not in methods:
                answer = sent(refusal(405, request_id))
                answer.headers["Allow"] = ", ".join(methods)
                return answer
            try:
                caller = caller_of(bearer_of(request))
                return sent(view(request, caller, **kwargs) if caller is not None else refusal(401, request_id))
            except Exception:
                log.exception("api.failed", view=getattr(view, "__name__", ""))
                return sent(refusal(500, request_id))

        enter.asks = asks  # type: ignore[attr-defined]
        return csrf_exempt(login_not_required(enter))

    return wrap


def open_json(view: Callable[[HttpRequest], HttpResponse]) -> AgentView:
    """For what says nothing of any knowledge."""

    @wraps(view)
    def enter(request: HttpRequest, /, **kwargs: str) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            return sent(refusal(405, current_request_id()))
        return view(request)

    enter.asks = {"GET": Door.ANYONE, "HEAD": Door.ANYONE}  # type: ignore[attr-defined]
    return csrf_exempt(login_not_required(enter))


def bearer_of(request: HttpRequest) -> str:
    given = request.headers.get("Authorization", "")
    return given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""


def sent(reply: Reply) -> HttpResponse:
    return JsonResponse(reply.body, status=reply.status, headers=reply.headers, json_dumps_params={"allow_nan": False})
