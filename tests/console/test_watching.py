"""Metrics, health and logs: who may read them, one id from browser to engine, and nothing of a tenant in them."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
import structlog
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from console.connection.providers import over_http
from console.connection.settings import read_settings
from console.gaps.models import Gap
from console.http import current_request_id
from console.people.models import User
from console.projects.models import Project
from console.site.logs import logging_config
from knowledge.engine.client import EngineAccess
from knowledge.engine.origin import asking_for
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.working import proposed, queued

MARKER = "zanzibar-planted-marker"


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What the console writes, as it does in production."""
    config, written = logging_config(debug=False), StringIO()
    handler = logging.StreamHandler(written)
    made = config["formatters"]["lines"]
    handler.setFormatter(made["()"](processors=made["processors"], foreign_pre_chain=made["foreign_pre_chain"]))
    root, before = logging.getLogger(), logging.getLogger().level
    names = ("console", "django")
    levels = {name: logging.getLogger(name).level for name in names}
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name in names:
        logging.getLogger(name).setLevel(config["loggers"][name]["level"])
    yield written
    root.removeHandler(handler)
    root.setLevel(before)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def read(lines: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def families(text: str) -> dict[str, Any]:
    return {each.name: each for each in text_string_to_metric_families(text)}


def test_metrics_are_for_administrators_and_for_whoever_holds_their_token(
    as_owner: Client, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Client().get("/metrics").status_code == 302
    assert signed_in(member).get("/metrics").status_code == 403
    assert as_owner.get("/metrics").status_code == 200
    wrong = {"Authorization": "Bearer "}
    assert Client().get("/metrics", headers=wrong).status_code == 302, "none is set, and an empty one is no token"
    monkeypatch.setenv("ANTHILL_METRICS_TOKEN", "scrape-me")
    answer = Client().get("/metrics", headers={"Authorization": "Bearer scrape-me"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    for given in ("Bearer scrape", "Bearer scrape-me2", "Basic scrape-me", "scrape-me", "Bearer"):
        assert Client().get("/metrics", headers={"Authorization": given}).status_code == 302, given


def test_metrics_tell_what_stands_and_what_was_counted(
    as_owner: Client, project: Project, engine: FakeProvider
) -> None:
    secret = given_secret(project, per_minute=100, works=True)
    queued(project)
    proposed(secret)
    as_owner.get(f"/p/{project.slug}/sources")
    found = families(as_owner.get("/metrics").content.decode())
    states = {each.labels["state"]: each.value for each in found["anthill_engine_state"].samples}
    assert states.pop("ready") == 1
    assert set(states.values()) == {0}
    assert {e.labels["state"]: e.value for e in found["anthill_missions"].samples}["queued"] == 1
    assert {e.labels["state"]: e.value for e in found["anthill_proposals"].samples}["open"] == 1
    tools = {(e.labels["tool"], e.labels["failure"]): e.value for e in found["anthill_tool_calls_last_hour"].samples}
    assert tools["knowledge_review", "none"] == 1
    counted = [e for e in found["anthill_request_seconds"].samples if e.name.endswith("_count")]
    assert [e.value for e in counted if e.labels["route"] == "sources" and e.labels["status"] == "200"]


def test_no_word_of_a_tenant_is_in_a_metric_or_a_log(
    as_owner: Client, project: Project, engine: FakeProvider, lines: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = given_secret(project, per_minute=100)
    as_owner.get(f"/p/{project.slug}/knowledge", {"q": MARKER})
    as_owner.get(f"/p/{project.slug}/sources/{MARKER}")
    as_owner.get(f"/{MARKER}")
    as_owner.generic(MARKER.upper()[:10], "/")
    as_owner.post(f"/p/{project.slug}/review/cf_date", {"ruling": MARKER, "notes": MARKER})
    asked(secret, "search", {"query": MARKER})
    asked(secret, "search", {MARKER: 1})
    asked(MARKER, "search", {"query": "x"})
    assert Gap.objects.get().question == MARKER, "it is kept where it belongs"

    def fails(*_given: object, **_named: object) -> None:
        raise ValueError(f"cannot read {MARKER} {secret}")

    engine.search = fails  # type: ignore[method-assign, assignment]
    as_owner.raise_request_exception = False
    page = as_owner.get(f"/p/{project.slug}/knowledge", {"q": MARKER}, headers={"X-Request-Id": "req_of_a_person"})
    assert page.status_code == 500
    assert "req_of_a_person" in page.content.decode()
    assert asked(secret, "search", {"query": MARKER})[0] == 500
    told = lines.getvalue()
    failed = [each for each in read(lines) if each.get("error") == "ValueError"]
    assert {each["request_id"] for each in failed} >= {"req_of_a_person", "req_of_the_agent"}
    assert all(any("search" in place for place in each["places"]) for each in failed)
    metrics = as_owner.get("/metrics").content.decode()
    for hidden in (MARKER, MARKER.upper()[:10], secret, "fgr_test"):
        assert hidden not in told
        assert hidden not in metrics


def test_every_request_is_one_line_with_its_id_and_machines_that_ask_all_the_time_are_none(
    as_owner: Client, project: Project, lines: StringIO
) -> None:
    answer = as_owner.get(f"/p/{project.slug}/review", headers={"X-Request-Id": "req_from_the_proxy"})
    assert answer.headers["X-Request-Id"] == "req_from_the_proxy"
    (line,) = [each for each in read(lines) if each["event"] == "request.done"]
    assert (line["route"], line["method"], line["status"]) == ("review", "GET", 200)
    assert line["request_id"] == "req_from_the_proxy"
    as_owner.get("/livez")
    as_owner.get("/readyz")
    assert len([each for each in read(lines) if each["event"] == "request.done"]) == 1
    for hostile in ("x\r\nSet-Cookie: a", "short", "a" * 65, "ümlaut-id", "<script>"):
        made = as_owner.get("/livez", headers={"X-Request-Id": hostile}).headers["X-Request-Id"]
        assert made.startswith("req_"), hostile


def test_the_id_goes_along_to_the_engine(db: None) -> None:
    def access() -> EngineAccess:
        provider: Any = over_http(read_settings())
        found: EngineAccess = provider._access
        return found

    structlog.contextvars.clear_contextvars()
    assert current_request_id() == ""
    with structlog.contextvars.bound_contextvars(request_id="req_of_the_page"):
        assert access().request_id == "req_of_the_page"
    with asking_for("req_of_the_agent"):
        assert access().request_id == "", "an agent's call names itself where the engine is called"


@pytest.mark.parametrize("status", [400, 403, 404])
def test_an_error_page_names_the_request(as_owner: Client, viewer: User, project: Project, status: int) -> None:
    address = {400: "/sign-in", 403: f"/p/{project.slug}/export", 404: "/nowhere"}[status]
    client = signed_in(viewer)
    headers = {"X-Request-Id": "req_of_a_person"}
    if status == 400:
        client.raise_request_exception = False
        headers["Host"] = "elsewhere.example"
    answer = client.get(address, headers=headers)
    assert answer.status_code == status
    assert "req_of_a_person" in answer.content.decode()
