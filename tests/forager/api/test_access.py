"""Every route of the registry: who may, who may not, and that foreign looks exactly like unknown."""

import json
import re
from collections.abc import Callable, Iterator

import pytest

from forager.api.access import TOKEN_SCOPES, Scope
from forager.api.endpoint import Endpoint
from forager.api.openapi import document
from forager.interchange import importing
from forager.model.models import KnowledgeBase
from forager.pipeline import registration
from forager.urls import registry
from tests.forager.conftest import Api

PUBLIC = {"/health", "/ready", "/openapi.json", "/session"}
BODIES = {
    "resolve_conflict": {"action": "neither", "expected_digest": "0", "actor": "x"},
    "reopen_conflict": {"actor": "x"},
    "resolve_many": {"items": [{"conflict_id": "cf_0", "expected_digest": "0"}], "action": "neither", "actor": "x"},
    "note_served": {"package_id": "pkg_0", "agent": "x", "item_ids": ["ki_0"]},
    "create_export": {"format": "jsonl"},
    "accept_candidate": {"expected_digest": "0", "actor": "x"},
    "reject_candidate": {"expected_digest": "0", "actor": "x"},
    "set_vocabulary": {"expected_digest": "0", "words": {}, "actor": "x"},
    "merge_entity": {"other_id": "ent_0", "actor": "x"},
    "unmerge_entity": {"alias": "Pier", "actor": "x"},
    "import_directory": {"path": "/nowhere"},
    "edit_document": {"owner": "x", "actor": "x"},
    "change_state": {"state": "suspended", "reason": "x", "actor": "x"},
    "recall": {"query": "fee"},
    "walk": {"entity": "Pier Nine", "query": "fee"},
    "check_references": {"references": [{"item_id": "ki_0"}]},
    "get_standing": {"references": [{"item_id": "ki_0"}]},
    "create_item": {"statement": "x is y", "subject": "x", "attribute": "is", "value": "y"},
}
QUERIES = {"search": {"q": "fee"}, "neighbors": {"entity": "Pier Nine"}}


def object_routes() -> Iterator[Endpoint]:
    return (e for e in registry.endpoints if "<" in e.path and e.scope is not Scope.ADMIN)


def ids(found: Endpoint) -> str:
    return f"{found.method} {found.path}"


@pytest.fixture
def foreign(api: Api) -> dict[str, str]:
    """One object of every kind, in a base that the token under test may not touch."""
    base = registration.create_base("Foreign", namespace="ff" * 16)
    api.load(
        base.pk,
        {
            "a.txt": "The fee of Pier Nine is 10 EUR.",
            "b.txt": "The fee of Pier Nine is 12 EUR.",
            "c.txt": "Ingrid Solvang signed it. Ingrid Slovang signed it.",
        },
    )
    source = api.get(f"/projects/{base.pk}/sources")["items"][0]
    return {
        "base": base.pk,
        "source": source["id"],
        "document": source["document_id"],
        "job": api.get(f"/projects/{base.pk}/jobs")["items"][0]["id"],
        "item": api.get(f"/projects/{base.pk}/knowledge")["items"][0]["id"],
        "entity": api.get(f"/projects/{base.pk}/entities")["items"][0]["id"],
        "conflict": api.get(f"/projects/{base.pk}/conflicts")["items"][0]["id"],
        "candidate": api.get(f"/projects/{base.pk}/merge-candidates")["items"][0]["id"],
        "import_id": importing.hand_in(base, [b"PK"], actor="Ida").pk,
        "export": api.post(f"/projects/{base.pk}/exports", {"format": "jsonl"}, status=202)["id"],
    }


def call(
    client: Api, found: Endpoint, names: dict[str, str], headers: dict[str, str] | None = None
) -> tuple[int, str, str]:
    path = "/api" + re.sub(r"<(\w+)>", lambda m: names[m.group(1)], found.path)
    query = QUERIES.get(found.handler.__name__, {})
    body = json.dumps(BODIES.get(found.handler.__name__, {}))
    answer = client.client.generic(
        found.method, path, body, content_type="application/json", query_params=query, headers=headers or {}
    )
    masked = re.sub(r'"request_id": "[^"]+"', "", b"".join(answer).decode())  # type: ignore[arg-type]
    heads = {k: v for k, v in answer.headers.items() if k != "X-Request-Id"}
    return answer.status_code, masked, json.dumps(heads, sort_keys=True)


@pytest.mark.parametrize("found", list(object_routes()), ids=ids)
def test_an_object_of_another_base_is_answered_like_an_unknown_one(
    found: Endpoint, foreign: dict[str, str], base: KnowledgeBase, token_for: Callable[..., Api]
) -> None:
    own = token_for(base.pk, scopes=tuple(s.value for s in TOKEN_SCOPES))
    unknown = {name: f"{value.partition('_')[0]}_{'0' * 20}" for name, value in foreign.items()}
    seen = call(own, found, foreign)
    assert seen[0] == 404
    assert seen == call(own, found, unknown)
    assert all(value not in seen[1] for value in foreign.values())


@pytest.mark.parametrize("found", [e for e in object_routes() if not e.path.startswith("/projects/")], ids=ids)
def test_an_id_of_another_base_than_the_one_named_is_unknown(
    found: Endpoint, foreign: dict[str, str], base: KnowledgeBase, api: Api
) -> None:
    status, _, _ = call(api, found, foreign, {"X-Forager-Project": base.pk})
    assert status == 404


@pytest.mark.parametrize("found", registry.endpoints, ids=ids)
def test_only_four_routes_are_open_without_a_bearer(found: Endpoint, store: object) -> None:
    names = dict.fromkeys(
        (
            "base",
            "source",
            "document",
            "job",
            "item",
            "entity",
            "conflict",
            "export",
            "import_id",
            "candidate",
            "token",
        ),
        "x_0",
    )
    status, body, _ = call(Api(""), found, names)
    if found.path in PUBLIC:
        assert status == 200
    else:
        assert status == 401
        assert json.loads(body.replace(", }", "}"))["error"]["code"] == "unauthorized"


@pytest.mark.parametrize("found", [e for e in registry.endpoints if e.scope in TOKEN_SCOPES], ids=ids)
def test_a_token_without_the_scope_is_refused(
    found: Endpoint, base: KnowledgeBase, token_for: Callable[..., Api]
) -> None:
    others = tuple(s.value for s in TOKEN_SCOPES if s is not found.scope)
    names = dict.fromkeys(
        ("source", "document", "job", "item", "entity", "conflict", "export", "import_id", "candidate"), "x_0"
    ) | {"base": base.pk}
    assert call(token_for(base.pk, scopes=others), found, names)[0] == 403


@pytest.mark.parametrize("found", [e for e in registry.endpoints if e.scope in (Scope.ADMIN, Scope.HOST)], ids=ids)
def test_no_token_reaches_what_belongs_to_the_keys(
    found: Endpoint, base: KnowledgeBase, token_for: Callable[..., Api]
) -> None:
    every = token_for(base.pk, scopes=tuple(s.value for s in TOKEN_SCOPES))
    assert call(every, found, {"token": "tok_0"})[0] == 403


def test_a_revoked_token_is_nobody(base: KnowledgeBase, api: Api) -> None:
    made = api.post("/settings/tokens", {"name": "t", "scopes": ["read"], "project_ids": [base.pk]}, status=201)
    Api(made["token"]).get(f"/projects/{base.pk}")
    api.client.delete(f"/api/settings/tokens/{made['id']}")
    Api(made["token"]).get(f"/projects/{base.pk}", expect=401)
    assert "token" not in api.get("/settings/tokens")["items"][0]


def test_the_openapi_document_names_every_route_and_status() -> None:
    paths = document()["paths"]
    for found in registry.endpoints:
        operation = paths[re.sub(r"<(\w+)>", r"{\1}", found.path)][found.method.lower()]
        assert {int(s) for s in operation["responses"]} == set(found.statuses)
        assert operation["summary"]


@pytest.mark.parametrize(
    "path", ["/projects?colour=red", "/projects?page_size=0", "/projects?page_size=x", "/projects?cursor=??"]
)
def test_an_unknown_or_odd_query_parameter_is_400(api: Api, path: str) -> None:
    error = api.get(path, expect=400)["error"]
    assert error["code"] == "validation_error"
    assert error["fields"]


def test_an_unknown_route_answers_json(api: Api) -> None:
    assert api.get("/nowhere", expect=404)["error"]["code"] == "not_found"


def test_a_sane_request_id_comes_back_and_an_odd_one_does_not(api: Api) -> None:
    assert api.client.get("/api/health", headers={"X-Request-Id": "abc-12345"}).headers["X-Request-Id"] == "abc-12345"
    assert api.client.get("/api/health", headers={"X-Request-Id": "a b\t"}).headers["X-Request-Id"].startswith("req_")
