"""Agents with the official SDK, over HTTP and stdio, against a real console process with a real engine."""

import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError

from knowledge.tools import TABLE
from tests.browser.stack import ROOT
from tests.contract.place import BOTH, QUESTION, Opened, Place, place, run, text_of, wait

__all__ = ["place"]

EVERYTHING: dict[str, object] = {"query": "Falcon launch budget lead", "limit": 50}
OPEN = """
from console.projects.scopes import reading_of
from console.connection.providers import provider_for
from console.connection.settings import read_settings
from console.projects.models import Binding
from knowledge.provider import DocumentEdit
binding = Binding.objects.get(base_name="falcon-demo")
scope, provider = reading_of(binding.project).scope, provider_for(read_settings())
source = next(each for each in provider.sources(scope).value.items if each.path.startswith("01-"))
edit = DocumentEdit(band="general", authoritative=False, owner="", actor="Test", reason="for all")
assert provider.edit_document(scope, source.document_id, edit).ok
print(source.path)
"""
GAPS = """
import json
from console.gaps.models import Gap
print(json.dumps(list(Gap.objects.filter(question="quokka").values_list("question", "code", "count"))))
"""
FALCON = [path.name for path in (ROOT / "examples" / "falcon").iterdir() if path.name[:1].isdigit()]
REVOKE = """
import sys
from console.audit.models import Actor
from console.tokens.actions import digest_of, revoke_token
from console.tokens.models import AgentToken
revoke_token(by=Actor(key="test", name="Test"), token=AgentToken.objects.get(digest=digest_of({secret!r})))
"""
LEDGER = """
import json
from console.tokens.models import ToolCall
print(json.dumps(list(ToolCall.objects.values("tool", "failure", "served_ids", "request_id", "token__prefix"))))
"""


@BOTH
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_lists_asks_and_reads(place: Place, transport: Opened, mode: str) -> None:
    async def act() -> None:
        async with transport(place, place.own, mode) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == [tool.name for tool in TABLE]
            told = {tool.name: tool.annotations.read_only_hint for tool in listed if tool.annotations}
            assert told == {tool.name: tool.read_only for tool in TABLE}
            assert all(tool.input_schema["additionalProperties"] is False for tool in listed)
            found = await client.call_tool("knowledge_retrieve", {"query": QUESTION})
            assert not found.is_error
            assert text_of(found).startswith("KNOWLEDGE CONTEXT\n")
            assert text_of(found).index("CONFLICTS DETECTED") < text_of(found).index("FACTS")
            assert found.structured_content["abstention"]["code"] == "contested"
            citation = found.structured_content["citations"][0]
            assert citation in text_of(found)
            (read,) = (await client.read_resource(citation)).contents
            statement = json.loads(read.text)
            assert statement["statement"]["citation"] == citation
            assert statement["evidence"][0]["excerpt"]
            templates = (await client.list_resource_templates()).resource_templates
            assert [each.uri_template for each in templates] == [
                "knowledge:{project}/{statement}",
                "knowledge:{project}/packages/{package}",
            ]
            resources = (await client.list_resources()).resources
            assert resources
            assert all(each.uri.startswith(f"knowledge:{place.slug}/") for each in resources)

    run(act)


def test_every_tool_answers_over_mcp_what_it_answers_as_json(place: Place) -> None:
    key = place.ask(place.own, "search", {"query": QUESTION}).json()["data"]["hits"][0]["statement"]["id"]
    held = place.ask(place.own, "retrieve", {"query": QUESTION, "with_packet": True}).json()["data"]
    questions: dict[str, dict[str, object]] = {
        "search": {"query": QUESTION},
        "retrieve": {"query": QUESTION},
        "get": {"statement": key, "history": True},
        "evidence": {"statement": key},
        "recall": {"query": "parachute"},
        "entity": {"entity": "Project Falcon"},
        "neighbors": {"entity": "Project Falcon", "depth": 2},
        "walk": {"entity": "Project Falcon", "query": "launch date"},
        "check": {"references": [{"statement": key}, {"statement": "ki_nobody"}]},
        "history": {"statement": key},
        "open": {"reference": a_place(place, key)},
        "admit": {"packet": held["packet"]},
        "cite": {"package": held["package"], "answer": f"It has moved. knowledge:{place.slug}/{key}"},
        "package": {"package": held["package"]},
        "outcome": {"package": held["package"], "outcome": "answered", "raw": "It has moved."},
        "corrections": {},
        **work(place, held),
    }
    assert set(questions) == {tool.path for tool in TABLE}

    async def act() -> None:
        async with place.over_http(place.own) as client:
            for tool in TABLE:
                over_mcp = await client.call_tool(tool.name, questions[tool.path])
                as_json = place.as_json(place.own, tool, questions[tool.path]).json()
                assert as_json["success"], (tool.path, as_json)
                assert masked(over_mcp.structured_content) == masked(as_json["data"]), tool.path

    run(act)


def work(place: Place, held: dict[str, Any]) -> dict[str, dict[str, object]]:
    """Of a mission that is claimed already, and a conflict of the package at hand."""
    mission = place.queue("Why was the launch moved?")
    claimed = place.ask(place.own, "claim", {"mission": mission, "worker": "one"}).json()["data"]
    kept = {"mission": mission, "fence": claimed["fence"]}
    conflict = conflicts_of(place, place.own)[0]
    review = {"conflict": conflict, "package": held["package"], "ruling": "neither", "reason": "Neither is signed."}
    return {
        "missions": {},
        "claim": {"mission": mission, "worker": "one"},
        "renew": kept,
        "finish": {**kept, "outcome": "done", "result": "It has moved.", "packages": [held["package"]]},
        "review": review,
    }


def conflicts_of(place: Place, secret: str) -> list[str]:
    """Ids of those that the statement of the question stands in."""
    key = place.ask(secret, "search", {"query": QUESTION}).json()["data"]["hits"][0]["statement"]["id"]
    return [each["id"] for each in place.ask(secret, "get", {"statement": key}).json()["data"]["conflicts"]]


def a_place(place: "Place", key: str) -> dict[str, object]:
    piece = place.ask(place.own, "evidence", {"statement": key}).json()["data"]["evidence"][0]
    names = ("source_id", "version", "excerpt_hash", "start", "end")
    return {"statement": key, "evidence_id": piece["id"], **{name: piece[name] for name in names}}


OF_THE_CALL = ("admitted_at", "package", "manifest_digest", "outcomes", "lease_until")


def masked(data: dict[str, Any]) -> dict[str, Any]:
    """Without what differs between two calls: its time, and what it was frozen as."""
    return {name: value for name, value in data.items() if name not in OF_THE_CALL}


def test_the_statement_of_the_launch_tells_history_neighbours_and_verdicts(place: Place) -> None:
    key = place.ask(place.own, "search", {"query": QUESTION}).json()["data"]["hits"][0]["statement"]["id"]
    history = place.ask(place.own, "get", {"statement": key, "history": True}).json()["data"]["history"]
    assert key in {each["statement_id"] for each in history}
    edges = place.ask(place.own, "neighbors", {"entity": "Project Falcon"}).json()["data"]["edges"]
    assert edges
    steps = place.ask(place.own, "walk", {"entity": "Project Falcon", "query": "launch date"}).json()["data"]["steps"]
    assert "launch" in steps[0]["statement"]["statement"].lower()
    items = place.ask(place.own, "check", {"references": [{"statement": key}, {"statement": "ki_x"}]}).json()["data"]
    assert [each["verdict"] for each in items["items"]] == ["contested", "unavailable"]


@BOTH
def test_a_token_of_another_project_sees_nothing(place: Place, transport: Opened) -> None:
    citation = place.ask(place.own, "retrieve", {"query": QUESTION}).json()["data"]["citations"][0]
    key = citation.rpartition("/")[2]

    async def act() -> None:
        async with transport(place, place.foreign, "auto") as client:
            found = await client.call_tool("knowledge_search", {"query": QUESTION})
            assert found.structured_content["hits"] == []
            assert found.structured_content["abstention"]["code"] == "no_match"
            told = [await client.call_tool("knowledge_get", {"statement": each}) for each in (key, "ki_nobody")]
            assert all(each.is_error for each in told)
            assert len({without_ids(text_of(each)) for each in told}) == 1
            assert (await client.list_resources()).resources == []
            errors = []
            for uri in (citation, "knowledge:elsewhere/ki_nobody", f"knowledge:elsewhere/{key}"):
                with pytest.raises(MCPError) as refused:
                    await client.read_resource(uri)
                errors.append((refused.value.code, refused.value.message))
            assert len(set(errors)) == 1

    run(act)


def without_ids(text: str) -> str:
    return text.partition("Request id:")[0]


@BOTH
def test_a_revoked_token_stops_at_the_next_call(place: Place, transport: Opened) -> None:
    secret = place.short.pop()

    async def act() -> None:
        async with transport(place, secret, "auto") as client:
            assert not (await client.call_tool("knowledge_search", {"query": QUESTION})).is_error
            await anyio.to_thread.run_sync(lambda: place.manage(REVOKE.format(secret=secret)))
            with pytest.raises(MCPError):
                await client.call_tool("knowledge_search", {"query": QUESTION})
            with pytest.raises(MCPError):
                await client.list_tools()

    run(act)
    assert place.ask(secret, "search", {"query": QUESTION}).status_code == 401
    assert httpx2.post(place.mcp_url, headers={"Authorization": f"Bearer {secret}"}, trust_env=False).status_code == 401


def test_a_general_token_sees_what_was_opened_and_nothing_of_the_tenant(place: Place) -> None:
    """Every Falcon document is the tenant's until a person says otherwise."""
    questions: list[tuple[str, dict[str, object]]] = [
        ("search", EVERYTHING),
        ("retrieve", {"query": "Falcon launch"}),
        ("recall", {"query": "Falcon launch"}),
    ]
    for path, body in questions:
        assert place.ask(place.general, path, body).json()["data"]["abstention"]["code"] == "no_match", path
    known, unknown = (place.ask(place.general, "entity", {"entity": each}) for each in ("Project Falcon", "Nobody"))
    assert (known.status_code, unknown.status_code) == (404, 404)
    assert known.json()["message"] == unknown.json()["message"]
    opened = place.manage(OPEN).strip()
    wait(
        lambda: bool(place.ask(place.general, *questions[0]).json()["data"]["hits"])
    )  # candidates are remembered briefly
    told = [place.ask(place.general, path, body).json()["data"] for path, body in questions]
    assert told[0]["hits"]
    for data in told:
        assert not any(name in json.dumps(data) for name in FALCON if name != opened)
    for hit in told[0]["hits"]:
        whole = place.ask(place.general, "get", {"statement": hit["statement"]["id"], "history": True}).json()["data"]
        assert {each["path"] for each in whole["evidence"]} == {opened}
        assert hit["statement"]["id"] in {each["statement_id"] for each in whole["history"]}
        assert "April 10" not in json.dumps(whole["history"]), "what the mail says of the same date is the tenant's"
    everything = place.ask(place.own, "search", EVERYTHING).json()["data"]["hits"]
    assert len(everything) > len(told[0]["hits"])


def test_a_refusal_over_mcp_instructs_and_names_the_field(place: Place) -> None:
    async def act() -> None:
        async with place.over_http(place.own) as client:
            refused = await client.call_tool("knowledge_search", {"query": "x", "base_id": "proj_other"})
            assert refused.is_error
            assert "base_id: Extra inputs are not permitted" in text_of(refused)
            assert "Do NOT substitute recalled" in text_of(refused)
            assert refused.structured_content["error"]["code"] == "validation_error"
            with pytest.raises(MCPError):
                await client.call_tool("knowledge_delete", {})

    run(act)


def test_a_browser_elsewhere_is_refused(place: Place) -> None:
    headers = {"Authorization": f"Bearer {place.own}", "Content-Type": "application/json"}
    for more in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        answer = httpx2.post(place.mcp_url, json={}, headers={**headers, **more}, trust_env=False)
        assert answer.status_code in (403, 421), more


def test_every_call_is_in_the_ledger_and_no_word_of_it(place: Place) -> None:
    """A question that is answered stands nowhere; one that is not is a gap, for people who may read the base."""
    place.ask(place.own, "search", {"query": "a marker of the launch nobody else says: zanzibar"})
    rows = json.loads(place.manage(LEDGER))
    assert any(row["tool"] == "knowledge_search" and row["failure"] == "" for row in rows)
    assert "zanzibar" not in json.dumps(rows)
    store = (Path(place.stack.folder) / "console.sqlite3").read_bytes()
    assert b"zanzibar" not in store
    place.ask(place.own, "search", {"query": "quokka"})
    assert json.loads(place.manage(GAPS)) == [["quokka", "no_match", 1]]
    assert "quokka" not in json.dumps(json.loads(place.manage(LEDGER)))


def test_what_the_guide_shows_of_the_official_client_works_as_it_stands(place: Place) -> None:
    told = (ROOT / "docs" / "agents.md").read_text("utf-8")
    (shown,) = [each for each in re.findall(r"   ```python\n(.*?)   ```", told, re.DOTALL) if "from mcp" in each]
    script = dedent(shown).replace("ant_…", place.own).replace("http://127.0.0.1:8791/mcp", place.mcp_url)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("KNOWLEDGE CONTEXT\n")


def test_stdio_without_a_usable_token_says_so_and_ends(place: Place) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "mcp"],
        cwd=ROOT,
        env={**place.stack.environment, "ANTHILL_AGENT_TOKEN": "ant_nobody"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "ANTHILL_AGENT_TOKEN holds no usable agent token" in done.stderr
    assert done.stdout == ""
