"""The tools under ``/knowledge/``, one address each, all made from the table of tools."""

import json

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path

from console.agents.callers import TokenCaller
from console.api.doors import AgentView, agent_door, open_json
from console.http import current_request_id
from knowledge.api.envelope import Reply, refusal, reply_to
from knowledge.api.openapi import document
from knowledge.failures import Failed, Failure
from knowledge.tools import TABLE, Tool, call_tool

BODY_LIMIT = 256 * 1024


@open_json
def openapi(request: HttpRequest) -> HttpResponse:
    """What there is to ask; it tells nothing of any knowledge."""
    return JsonResponse(document())


@agent_door("GET", "POST")
def unknown(request: HttpRequest, caller: TokenCaller, /, **named: str) -> Reply:
    return refusal(404, current_request_id())


def tool_view(tool: Tool) -> AgentView:
    """``named`` is what stands in the address; it may not stand anywhere else, too."""

    @agent_door(*tool.methods)
    def answer(request: HttpRequest, caller: TokenCaller, /, **named: str) -> Reply:
        by_query = request.method == "GET"
        given = _joined(_query(request) if by_query else _body(request), named)
        request_id = current_request_id()
        return reply_to(call_tool(tool, caller, given, request_id=request_id, as_words=by_query), request_id)

    return answer


def tool_paths() -> list[URLPattern]:
    tools = [path(f"knowledge/{_address(tool)}", tool_view(tool), name=f"tool-{tool.path}") for tool in TABLE]
    return [
        path("knowledge/openapi.json", openapi, name="tools-openapi"),
        *tools,
        path("knowledge/<path:rest>", unknown, name="tools-unknown"),
    ]


def _address(tool: Tool) -> str:
    return tool.at.replace("{package}", "<str:package>")


def _joined(given: dict[str, object] | Failed, named: dict[str, str]) -> dict[str, object] | Failed:
    if isinstance(given, Failed):
        return given
    for name in named.keys() & given.keys():
        return _unreadable(name, "stands in the address")
    return {**given, **named}


def _query(request: HttpRequest) -> dict[str, object] | Failed:
    for name, values in request.GET.lists():
        if len(values) > 1:
            return _unreadable(name[:80], "is given more than once")
    return dict(request.GET.items())


def _body(request: HttpRequest) -> dict[str, object] | Failed:
    if request.content_type != "application/json":
        return _unreadable("body", "must be application/json")
    if int(request.headers.get("Content-Length") or 0) > BODY_LIMIT:
        return _unreadable("body", f"may have at most {BODY_LIMIT} bytes")
    if request.GET:
        return _unreadable("query", "arguments of a POST stand in its body")
    try:
        given = json.loads(request.body)
    except (ValueError, RecursionError):
        return _unreadable("body", "is not JSON")
    return given if isinstance(given, dict) else _unreadable("body", "must be a JSON object")


def _unreadable(field: str, message: str) -> Failed:
    return Failed(Failure.INVALID, "The arguments could not be read.", fields=((field, message),))
