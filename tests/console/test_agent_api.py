"""The JSON API of the agents: one envelope, no cookies, strict arguments, nothing told of what is not theirs."""

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from jsonschema import Draft202012Validator

from console.projects.models import Binding, Project
from console.tokens.actions import revoke_token
from console.tokens.models import AgentToken, ToolCall
from knowledge.failures import Failed, Failure
from knowledge.tools import TABLE
from tests.console.fake import FakeProvider
from tests.console.test_callers import given_secret

QUESTION = "When is the Falcon launch date?"


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project)


def asked(secret: str, path: str, body: object = None, **query: str) -> tuple[int, Any, HttpResponse]:
    client, headers = Client(), {"Authorization": f"Bearer {secret}", "X-Request-Id": "req_of_the_agent"}
    if body is None:
        answer = client.get(f"/knowledge/{path}", query, headers=headers)
    else:
        answer = client.post(f"/knowledge/{path}", json.dumps(body), "application/json", headers=headers)
    found = json.loads(answer.content)
    assert set(found) == {"success", "message", "data", "error"}
    assert found["success"] == (answer.status_code == 200)
    return answer.status_code, found, answer


def test_a_question_by_get_and_by_post_gets_the_same_answer(secret: str) -> None:
    status, by_get, answer = asked(secret, "search", query=QUESTION, limit="5")
    _, by_post, _ = asked(secret, "search", {"query": QUESTION, "limit": 5})
    assert status == 200
    assert [hit["statement"]["id"] for hit in by_get["data"]["hits"]]
    assert by_get["data"]["hits"] == by_post["data"]["hits"]
    assert answer.headers["X-Request-Id"] == "req_of_the_agent"
    assert answer.headers["Cache-Control"] == "no-store"
    assert {row.request_id for row in ToolCall.objects.all()} == {"req_of_the_agent"}


def test_the_whole_context_comes_as_one_text(secret: str) -> None:
    _, found, _ = asked(secret, "retrieve", query="launch date of Falcon")
    assert found["data"]["text"].startswith("KNOWLEDGE CONTEXT\n")
    assert found["data"]["abstention"]["code"] == "contested"
    assert found["message"] == "The sources disagree. Do not report either side as settled."


def test_a_statement_comes_with_its_evidence(secret: str) -> None:
    _, found, _ = asked(secret, "get", {"statement": "ki_10"})
    assert found["data"]["statement"]["id"] == "ki_10"
    assert found["data"]["evidence"]
    assert found["data"]["admitted_at"].endswith("Z")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Bearer ant_nobody", "Basic YTpi", "Bearer fgr_engine"])
def test_without_a_usable_token_nothing_is_told(secret: str, header: str) -> None:
    answer = Client().get("/knowledge/search", {"query": "x"}, headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthorized"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert not ToolCall.objects.exists()


def test_a_session_beside_no_token_is_nothing(as_owner: Client) -> None:
    answer = as_owner.get("/knowledge/search", {"query": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
    assert as_owner.get("/connection").status_code == 200


def test_a_revoked_token_stops_at_its_next_call(secret: str, project: Project) -> None:
    assert asked(secret, "search", query="launch")[0] == 200
    revoke_token(by=project_actor(), token=AgentToken.objects.get())
    assert asked(secret, "search", query="launch")[0] == 401


def project_actor() -> Any:
    from tests.console.conftest import BY

    return BY


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("search", {"query": "x", "scope": "proj_other"}, "scope"),
        ("search", {"query": ""}, "query"),
        ("search", {"query": "x", "limit": 999}, "limit"),
        ("search", [], "body"),
        ("get", {"statement": "../../etc"}, "statement"),
    ],
)
def test_wrong_arguments_are_400_with_the_field(secret: str, path: str, body: object, field: str) -> None:
    status, found, _ = asked(secret, path, body)
    assert (status, found["error"]["code"]) == (400, "validation_error")
    assert field in found["error"]["fields"]
    assert ToolCall.objects.get().failure == "invalid"


def test_a_query_string_is_read_strictly(secret: str) -> None:
    for query in ("query=x&limit=many", "query=x&unknown=1", "query=x&query=y", ""):
        answer = Client().get(f"/knowledge/search?{query}", headers={"Authorization": f"Bearer {secret}"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_error"), query


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"{", "application/json"), (b"query=x", "application/x-www-form-urlencoded"), (b"[" * 90000, "application/json")],
)
def test_a_body_that_is_none_is_told(secret: str, content: bytes, kind: str) -> None:
    answer = Client().post("/knowledge/search", content, kind, headers={"Authorization": f"Bearer {secret}"})
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, ["body"])


def test_a_token_that_may_not_read_is_403(project: Project) -> None:
    status, found, _ = asked(given_secret(project, reads=False), "search", query="x")
    assert (status, found["error"]["code"]) == (403, "forbidden")


def test_too_many_calls_are_429_and_say_when(project: Project) -> None:
    secret = given_secret(project, per_minute=1)
    assert asked(secret, "search", query="launch")[0] == 200
    status, found, answer = asked(secret, "search", query="launch")
    assert (status, found["error"]["code"]) == (429, "rate_limited")
    assert 0 < int(answer.headers["Retry-After"]) <= 60


def masked(found: dict[str, Any]) -> str:
    return json.dumps({**found, "error": {**found["error"], "request_id": ""}})


def test_an_id_that_is_foreign_looks_like_one_that_is_unknown(secret: str, engine: FakeProvider) -> None:
    from dataclasses import replace

    engine.known_statements["ki_foreign"] = replace(engine.known_statements["ki_10"], base_id="proj_other")
    for path in ("get", "evidence"):
        answers = [asked(secret, path, {"statement": key}) for key in ("ki_foreign", "ki_nobody")]
        assert {status for status, _, _ in answers} == {404}
        assert len({masked(found) for _, found, _ in answers}) == 1
        assert len({tuple(sorted(set(a.headers) - {"X-Request-Id"})) for *_, a in answers}) == 1


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (Failure.UNAVAILABLE, 503, "unavailable"),
        (Failure.TIMEOUT, 504, "timeout"),
        (Failure.UNAUTHORIZED, 503, "signed_out"),
        (Failure.INCOMPATIBLE, 503, "incompatible"),
        (Failure.MALFORMED, 502, "malformed"),
    ],
)
def test_an_engine_that_cannot_be_read_is_told_by_kind(
    secret: str, engine: FakeProvider, failure: Failure, status: int, code: str
) -> None:
    engine.failures["search"] = Failed(failure, "a reason for operators with /paths/ and fgr_secrets")
    for path in ("search", "retrieve"):
        got, found, _ = asked(secret, path, query="launch")
        assert (got, found["error"]["code"]) == (status, code)
        assert "Do NOT substitute recalled, assumed, or generally-known facts" in found["message"]
        assert found["data"]["abstention"]["code"] == "unavailable"
        assert "fgr_secrets" not in json.dumps(found)


def test_knowledge_off_and_a_project_without_a_base_are_told(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Binding.objects.all().delete()
    assert asked(secret, "search", query="x")[1]["error"]["code"] == "scope_unresolved"
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_ENABLED", "0")
    status, found, _ = asked(secret, "search", query="x")
    assert (status, found["error"]["code"]) == (409, "scope_unresolved")


def test_a_defect_of_ours_is_json_too(secret: str, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(FakeProvider, "search", broken)
    status, found, answer = asked(secret, "search", query="x")
    assert (status, found["error"]["code"]) == (500, "internal_error")
    assert b"inside" not in answer.content


def test_an_address_that_is_none_is_json(secret: str) -> None:
    status, found, _ = asked(secret, "nothing/here")
    assert (status, found["error"]["code"]) == (404, "not_found")
    answer = Client().put("/knowledge/search", headers={"Authorization": f"Bearer {secret}"})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")


def test_the_document_is_whole_and_answers_keep_to_it(secret: str) -> None:
    document = Client().get("/knowledge/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {f"/{tool.at}" for tool in TABLE}
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    questions: list[tuple[str, dict[str, object]]] = [
        ("search", {"query": QUESTION}),
        ("retrieve", {"query": QUESTION}),
        ("get", {"statement": "ki_10"}),
        ("evidence", {"statement": "ki_10"}),
        ("get", {"statement": "ki_nobody"}),
    ]
    for path, body in questions:
        status, found, _ = asked(secret, path, body)
        told = document["paths"][f"/{path}"]["post"]["responses"][str(status)]["content"]["application/json"]["schema"]
        Draft202012Validator({**told, "components": document["components"]}).validate(found)
