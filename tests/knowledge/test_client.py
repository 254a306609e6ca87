"""The client for agents written in Python, against answers made by hand (``tests/contract`` has a running console)."""

import json

import httpx2
import pytest
from pydantic import ValidationError

from knowledge.client import KnowledgeClient, Refused
from knowledge.tools import TABLE

PACKAGE = "pkg_" + "0" * 32
HISTORY = {"admitted_at": "", "view_id": "1:1", "abstention": None, "statement_id": "ki_1", "items": []}
GIVEN = {"statement": "ki_1", "query": "Why?", "entity": "Falcon", "package": PACKAGE, "answer": "A", "packet": {}}


def answering(status: int, body: object, **headers: str) -> tuple[KnowledgeClient, list[httpx2.Request]]:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        content = body if isinstance(body, str) else json.dumps(body)
        return httpx2.Response(status, content=content, headers=headers)

    return KnowledgeClient("http://console/", "ant_x", transport=httpx2.MockTransport(answer)), asked


def ok(data: dict[str, object]) -> dict[str, object]:
    return {"success": True, "message": "", "data": data, "error": None}


def test_the_token_goes_along_and_the_answer_is_typed() -> None:
    client, asked = answering(200, ok(HISTORY))
    assert client.history("ki_1").statement_id == "ki_1"
    (request,) = asked
    assert (request.method, str(request.url)) == ("POST", "http://console/knowledge/history")
    assert request.headers["Authorization"] == "Bearer ant_x"
    assert json.loads(request.content) == {"statement": "ki_1"}


def test_fields_of_a_newer_console_are_left_aside() -> None:
    past = {
        "statement_id": "ki_1", "statement": "A.", "support": "direct_fact", "status": "active", "effective_date": "",
        "recorded_at": "", "ended_at": "", "ended_because": "", "colour": "blue",
    }  # fmt: skip
    client, _ = answering(200, ok({**HISTORY, "items": [past], "more": 1}))
    assert client.history("ki_1").items[0].statement == "A."


def test_a_package_stands_in_the_address() -> None:
    client, asked = answering(
        404,
        {
            "success": False,
            "message": "No.",
            "data": None,
            "error": {"code": "not_found", "request_id": "r", "fields": {}},
        },
    )
    for act in (client.package, lambda package: client.outcome(package, "answered")):
        with pytest.raises(Refused):
            act(f"knowledge:falcon/packages/{PACKAGE}")
    told = [(request.method, request.url.path) for request in asked]
    assert told == [("GET", f"/knowledge/packages/{PACKAGE}"), ("POST", f"/knowledge/packages/{PACKAGE}/outcome")]


def test_a_refusal_says_what_to_do() -> None:
    error = {"code": "rate_limited", "request_id": "req_1", "fields": {"a": "b"}}
    client, _ = answering(
        429, {"success": False, "message": "Wait.", "data": None, "error": error}, **{"Retry-After": "9"}
    )
    with pytest.raises(Refused) as refused:
        client.search("Why?")
    known = refused.value
    assert (known.status, known.code, known.message, known.request_id) == (429, "rate_limited", "Wait.", "req_1")
    assert (known.fields, known.retry_after, str(known)) == ({"a": "b"}, 9, "rate_limited: Wait.")


@pytest.mark.parametrize("body", ["<html>", "[]", '{"success": false}'])
def test_a_page_of_a_proxy_is_no_answer(body: str) -> None:
    client, _ = answering(502, body)
    with pytest.raises(Refused, match="unreadable"):
        client.search("Why?")


def test_arguments_that_cannot_be_sent_are_not_sent() -> None:
    client, asked = answering(200, ok(HISTORY))
    with pytest.raises(ValidationError):
        client.search("  ")
    assert asked == []


def test_every_tool_is_a_method() -> None:
    assert {tool.path for tool in TABLE} <= set(dir(KnowledgeClient))
