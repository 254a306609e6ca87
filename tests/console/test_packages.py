"""Frozen packages on the console's side: whose they are, until when they can be read, and what came of them."""

import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from console.audit.models import AuditEvent
from console.bases.actions import Hand, change_document_state
from console.packages.ledger import ledger_of
from console.packages.models import CitationCheck, Outcome, Package
from console.projects.actions import bind_project, make_project
from console.projects.models import Project
from console.tokens.actions import rotate_token
from console.tokens.models import AgentToken, ToolCall
from knowledge.provider import StateChange
from knowledge.scope import KnowledgeScope, Level
from knowledge.tools import TABLE
from knowledge.vocabulary import Band, Status
from tests.console.conftest import BY
from tests.console.fake import FakeProvider
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.working import queued

QUESTION = "When is the Falcon launch date?"
UNKNOWN = "pkg_" + "0" * 32
NAMING = {"statement", "reference", "references", "package", "mission"}
"""Arguments that name something of which one may not learn whether it exists."""


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project, per_minute=1000, works=True)


def retrieved(secret: str, **more: object) -> dict[str, Any]:
    status, found, _ = asked(secret, "retrieve", {"query": QUESTION, **more})
    assert status == 200
    data: dict[str, Any] = found["data"]
    return data


def read(secret: str, key: str) -> dict[str, Any]:
    status, found, _ = asked(secret, f"packages/{key}")
    assert status == 200, found
    data: dict[str, Any] = found["data"]
    return data


def hand(project: Project, engine: FakeProvider) -> Hand:
    scope = KnowledgeScope(Level.PROJECT, "proj_falcon", project.slug)
    return Hand(by=BY, project=project, scope=scope, provider=engine)


def test_a_receipt_leads_to_the_same_bytes(secret: str, engine: FakeProvider) -> None:
    data = retrieved(secret, attempt="a-7", purpose="report")
    row = Package.objects.get()
    assert (row.key, row.digest, row.manifest_digest) == (data["package"], data["digest"], data["manifest_digest"])
    assert hashlib.sha256(bytes(row.manifest)).hexdigest() == row.manifest_digest
    again = read(secret, data["package"])
    assert (again["state"], again["text"], again["admitted_at"]) == ("held", data["text"], data["admitted_at"])
    assert again["manifest"]["attempt"] == "a-7"
    assert again["manifest"]["request_id"] == "req_of_the_agent"
    assert ToolCall.objects.get(tool="knowledge_retrieve").package == row.key
    assert set(engine.served) == {row.key}, "the engine hears of the package by its own id"
    retrieved(secret, attempt="a-7")
    assert Package.objects.filter(attempt="a-7").count() == 2


def test_a_package_is_of_its_token_and_of_what_that_becomes(project: Project, secret: str) -> None:
    key = retrieved(secret)["package"]
    other = given_secret(project)
    made = rotate_token(by=BY, token=AgentToken.objects.earliest("pk"), overlap=timedelta(hours=1))
    assert read(made.secret, key)["state"] == "held"
    masked = []
    for who, name in ((other, key), (other, UNKNOWN), (secret, UNKNOWN)):
        status, found, answer = asked(who, f"packages/{name}")
        assert status == 404
        headers = tuple(sorted(set(answer.headers) - {"X-Request-Id"}))
        masked.append((json.dumps({**found, "error": {**found["error"], "request_id": ""}}), headers))
    assert len(set(masked)) == 1


def test_a_package_of_a_base_bound_before_is_unknown(project: Project, secret: str) -> None:
    key = retrieved(secret)["package"]
    bind_project(by=BY, project=project, base_id="proj_other", base_name="other")
    assert asked(secret, f"packages/{key}")[0] == 404
    bind_project(by=BY, project=project, base_id="proj_falcon", base_name="falcon-demo")
    assert read(secret, key)["state"] == "held"


@pytest.mark.parametrize("state", ["deleted", "revoked"])
def test_deleting_what_it_quotes_empties_it_for_good(
    project: Project, secret: str, engine: FakeProvider, state: str
) -> None:
    data = retrieved(secret)
    asked(secret, "cite", {"package": data["package"], "answer": "It is May 3. knowledge:falcon-programme/ki_10"})
    asked(secret, f"packages/{data['package']}/outcome", {"outcome": "answered", "raw": "It is May 3."})
    engine.states["doc_mail"] = "active"
    engine.deletable = True
    change = StateChange(state, "Test", "the owner asked")
    assert change_document_state(hand=hand(project, engine), document_id="doc_mail", change=change).ok
    row = Package.objects.get()
    assert (row.body, row.context) == (None, None)
    assert row.purged_because == f"document doc_mail is {state}"
    assert Outcome.objects.get().raw == ""
    assert CitationCheck.objects.get().findings == []
    assert CitationCheck.objects.get().finding_count
    told = read(secret, data["package"])
    assert (told["state"], told["text"], told["manifest"]) == ("evidence_unavailable", "", {})
    assert told["digest"] == data["digest"]
    assert AuditEvent.objects.get(action="packages.purged").after == {"packages": 1}
    found = asked(secret, "cite", {"package": data["package"], "answer": "x"})
    assert (found[0], found[1]["error"]["code"]) == (404, "evidence_unavailable")


def test_what_the_engine_no_longer_gives_is_never_read_out(secret: str, engine: FakeProvider) -> None:
    """Deleted elsewhere: the console hears nothing of it, and finds out when the package is read."""
    key = retrieved(secret)["package"]
    kept = engine.known_statements.pop("ki_10")
    assert read(secret, key)["state"] == "evidence_unavailable"
    assert Package.objects.get().purged_at is None, "hidden, not gone: its source is still there"
    engine.known_statements["ki_10"] = kept
    assert read(secret, key)["state"] == "held"
    del engine.known_statements["ki_10"], engine.known_sources["src_mail"]
    assert read(secret, key)["state"] == "evidence_unavailable"
    assert Package.objects.get().purged_because == "source src_mail is gone"


def test_what_another_caller_may_see_changes_nothing_for_good(project: Project, engine: FakeProvider) -> None:
    """Held back while the token's band does not reach it; the bytes stay."""
    for key, each in engine.known_statements.items():
        engine.known_statements[key] = replace(each, band=Band.GENERAL)
    secret = given_secret(project, band=Band.GENERAL)
    key = retrieved(secret)["package"]
    engine.hidden_references = {"ki_10"}
    assert read(secret, key)["state"] == "evidence_unavailable"
    assert Package.objects.get().purged_at is None


def admit(secret: str, **more: object) -> dict[str, Any]:
    packet = retrieved(secret, with_packet=True)["packet"]
    status, found, _ = asked(secret, "admit", {"packet": packet, "system_instruction": "Answer.", **more})
    assert status == 200, found
    data: dict[str, Any] = found["data"]
    return data


def test_an_admission_is_frozen_like_a_context(secret: str) -> None:
    data = admit(secret)
    row = Package.objects.get(key=data["package"])
    assert (row.kind, row.status) == ("admission", data["status"])
    assert bytes(row.body or b"").decode() == data["prompt"]
    assert read(secret, row.key)["text"] == data["prompt"]


def test_the_ledger_tells_exact_totals_in_one_query(
    project: Project, secret: str, django_assert_num_queries: Any
) -> None:
    base = f"knowledge:{project.slug}"
    context = retrieved(secret)
    asked(secret, "search", {"query": QUESTION})
    asked(secret, "search", {"query": "zanzibar"})
    asked(secret, "retrieve", {"query": "zanzibar"})
    asked(secret, "search", {"query": ""})
    asked(secret, "get", {"statement": "ki_nobody"})
    admission = admit(secret)
    both = f"One says March 3, 2026 ({base}/ki_3), another April 10, 2026 ({base}/ki_10)."
    for answer in (both, both.replace("April 10", "April 11"), f"It is so. {base}/ki_nobody"):
        asked(secret, "cite", {"package": context["package"], "answer": answer})
    where = f"packages/{context['package']}/outcome"
    for outcome, raw in (("answered", both), ("answered", both), ("consumer_failed", "")):
        asked(secret, where, {"outcome": outcome, "raw": raw})
    empty = Package.objects.filter(statement_count=0).get()
    asked(secret, f"packages/{empty.key}/outcome", {"outcome": "answered", "raw": "I think so."})
    assert admission["status"] == "admitted"
    token = AgentToken.objects.get()
    with django_assert_num_queries(1):
        found = ledger_of(token)
    assert found.as_json() == {
        "asked": 5,
        "abstained": 5,
        "refused": 2,
        "served": 3,
        "admitted": 1,
        "cited": 1,
        "failed_checks": 2,
        "grounded": 1,
        "not_grounded": 1,
        "unfinished": 1,
    }


def test_another_token_has_a_ledger_of_its_own(project: Project, secret: str) -> None:
    retrieved(secret)
    given_secret(project)
    assert set(ledger_of(AgentToken.objects.latest("pk")).as_json().values()) == {0}


def test_existence_is_told_by_no_tool(project: Project, secret: str, engine: FakeProvider) -> None:
    """Every tool that takes a name: one that is foreign, hidden or gone answers as one that never was."""
    mine = retrieved(secret)["package"]
    elsewhere = make_project(by=BY, name="Elsewhere")
    bind_project(by=BY, project=elsewhere, base_id="proj_falcon", base_name="falcon-demo")
    theirs = retrieved(given_secret(elsewhere))["package"]
    assert mine != theirs
    engine.known_statements["ki_foreign"] = replace(engine.known_statements["ki_10"], base_id="proj_other")
    engine.known_statements["ki_hidden"] = replace(engine.known_statements["ki_10"], status=Status.WITHHELD)
    piece = engine.known_statements["ki_10"].evidence[0]
    place = {
        "evidence_id": piece.id,
        "source_id": piece.source_id,
        "version": piece.version,
        "excerpt_hash": piece.excerpt_hash,
        "start": piece.start,
        "end": piece.end,
    }
    statements = ("ki_foreign", "ki_hidden", "ki_nobody")
    packages = (theirs, UNKNOWN)
    missions = (queued(elsewhere).key, queued(project, base_id="proj_before").key, f"msn_{0:032x}")
    done: dict[str, object] = {"fence": 1, "outcome": "done", "result": "x"}
    review: dict[str, object] = {"ruling": "neither", "reason": "x", "conflict": "cf_date"}
    table: list[tuple[str, list[dict[str, object] | None], tuple[str, ...]]] = [
        ("get", [{"statement": key} for key in statements], ()),
        ("evidence", [{"statement": key} for key in statements], ()),
        ("history", [{"statement": key} for key in statements], ()),
        ("open", [{"reference": {"statement": key, **place}} for key in statements], ()),
        ("check", [{"references": [{"statement": key}]} for key in statements], ()),
        ("check", [{"package": key} for key in packages], ()),
        ("cite", [{"package": key, "answer": "x"} for key in packages], ()),
        ("claim", [{"mission": key} for key in missions], ()),
        ("renew", [{"mission": key, "fence": 1} for key in missions], ()),
        ("finish", [{"mission": key, **done} for key in missions], ()),
        ("finish", [{"mission": missions[0], **done, "packages": [key]} for key in packages], ()),
        ("review", [{**review, "package": key} for key in packages], ()),
        ("review", [{**review, "package": mine, "conflict": key} for key in ("cf_twin", "cf_nobody")], ()),
        ("packages/{}", [None, None], packages),
        ("packages/{}/outcome", [{"outcome": "answered"}] * 2, packages),
    ]
    covered = {path.rpartition("}/")[2] if names else path for path, _, names in table}
    assert covered - {"packages/{}"} == {each.path for each in TABLE if NAMING & set(each.arguments.model_fields)} - {
        "package"
    }
    for path, bodies, names in table:
        told, counted = set(), set()
        for at, body in enumerate(bodies):
            engine.calls.clear()
            status, found, answer = asked(secret, path.format(names[at]) if names else path, body)
            text = json.dumps(found)
            for name in (*statements, *packages, *missions, str((found["error"] or {}).get("request_id", "no id"))):
                text = text.replace(name, "…")
            if found["data"]:
                text = text.replace(str(found["data"].get("admitted_at")), "…")
            told.add((status, text, tuple(sorted(set(answer.headers) - {"X-Request-Id"}))))
            # who the engine is, is asked every few seconds, whatever is asked for
            counted.add(tuple(call for call in engine.calls if call != "engine"))
        assert len(told) == 1, (path, told)
        assert len(counted) == 1, (path, counted)


def test_answers_over_packages_keep_to_the_document(secret: str, engine: FakeProvider) -> None:
    document = Client().get("/knowledge/openapi.json").json()
    data = retrieved(secret, with_packet=True)
    piece = engine.known_statements["ki_10"].evidence[0]
    names = ("source_id", "version", "excerpt_hash", "start", "end")
    place = {"statement": "ki_10", "evidence_id": piece.id, **{name: getattr(piece, name) for name in names}}
    key = data["package"]
    questions: dict[str, tuple[str, dict[str, object] | None]] = {
        "/retrieve": ("retrieve", {"query": QUESTION, "with_packet": True}),
        "/history": ("history", {"statement": "ki_10"}),
        "/open": ("open", {"reference": place}),
        "/admit": ("admit", {"packet": data["packet"]}),
        "/cite": ("cite", {"package": key, "answer": "It is May 3. knowledge:falcon-programme/ki_10"}),
        "/check": ("check", {"package": key}),
        "/packages/{package}": (f"packages/{key}", None),
        "/packages/{package}/outcome": (f"packages/{key}/outcome", {"outcome": "answered", "raw": "x"}),
        "/corrections": ("corrections", None),
    }
    for path, (address, body) in questions.items():
        status, found, _ = asked(secret, address, body)
        assert status == 200, (path, found)
        told = document["paths"][path]["get" if body is None else "post"]
        assert {each["name"] for each in told.get("parameters", []) if each["in"] == "path"} == (
            {"package"} if "{package}" in path else set()
        )
        schema = told["responses"]["200"]["content"]["application/json"]["schema"]
        Draft202012Validator({**schema, "components": document["components"]}).validate(found)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "admit", 405),
        ("POST", "corrections", 405),
        ("POST", f"packages/{UNKNOWN}", 405),
        ("GET", "packages/nothing", 400),
        ("GET", f"packages/{UNKNOWN}?package={UNKNOWN}", 400),
        ("GET", "corrections?cursor=-1", 400),
    ],
)
def test_addresses_take_their_method_and_arguments_alone(secret: str, method: str, path: str, status: int) -> None:
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    assert client.generic(method, f"/knowledge/{path}", "{}", "application/json").status_code == status
