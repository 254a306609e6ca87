"""An agent that asks in steps, as the product's example does, then answers and is held to it. Over MCP, both ways."""

import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client, MCPError

from knowledge.client import KnowledgeClient, Refused
from knowledge.tools import arguments, tool_named
from tests.browser.stack import ROOT
from tests.contract.place import BOTH, Opened, Place, place, run, text_of, wait

__all__ = ["place"]
DELETE = """
from console.audit.models import Actor
from console.bases.actions import Hand, change_document_state
from console.projects.scopes import reading_of
from console.connection.providers import provider_for
from console.connection.settings import read_settings
from console.projects.models import Binding
from knowledge.provider import StateChange
binding = Binding.objects.get(base_name="falcon-demo")
scope, provider = reading_of(binding.project).scope, provider_for(read_settings())
hand = Hand(by=Actor(key="test", name="Test"), project=binding.project, scope=scope, provider=provider)
source = next(each for each in provider.sources(scope).value.items if each.path.startswith({path!r}))
for state, code in {steps!r}:
    change = StateChange(state, "Test", "x", code)
    done = change_document_state(hand=hand, document_id=source.document_id, change=change)
    assert done.ok, done
"""
CHECKPOINT = """
from django.db import connection
connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
"""
IMPORT = """
import io
from console.projects.scopes import reading_of
from console.connection.providers import provider_for
from console.connection.settings import read_settings
from console.projects.models import Binding
from knowledge.provider import UploadFile
binding = Binding.objects.get(base_name="falcon-demo")
scope, provider = reading_of(binding.project).scope, provider_for(read_settings())
words = b"The kangaroo of the hangar is named Skippy. The guard of the hangar is a kangaroo."
assert provider.upload(scope, [UploadFile("kangaroo.txt", io.BytesIO(words))]).ok
assert provider.process(scope).ok
"""
CLOSED = """
import json
from console.gaps.models import Gap
print(json.dumps(list(Gap.objects.filter(question="kangaroo").values_list("state", "statement_id"))))
"""
HAND = """
from console.audit.models import Actor
from console.bases.actions import Hand, reopen_conflict, rule_on_conflict
from console.projects.scopes import reading_of
from console.connection.providers import provider_for
from console.connection.settings import read_settings
from console.projects.models import Binding
from knowledge.provider import Decision
binding = Binding.objects.get(base_name="falcon-demo")
scope, provider = reading_of(binding.project).scope, provider_for(read_settings())
hand = Hand(by=Actor(key="test", name="Test"), project=binding.project, scope=scope, provider=provider)
dates = next(c for c in provider.conflicts(scope).value.items if c.attribute_key.endswith("launch_date"))
"""
RULE = (
    HAND
    + """
side = next(each for each in dates.sides if each.value == {value!r})
decision = Decision("choose_side", "Test", "signed", dates.digest, side_id=side.id)
done = rule_on_conflict(hand=hand, conflict_id=dates.id, decision=decision)
assert done.ok and done.value.outcome == "recorded", done
"""
)
UNDO = (
    HAND
    + """
done = reopen_conflict(hand=hand, conflict_id=dates.id, notes="too early")
assert done.ok, done
"""
)
NONE = "pkg_" + "0" * 32
HIDE = [("suspended", "under_review")]
SHOW = [("active", "cleared")]
GONE = [("retiring", "no_longer_needed"), ("deleted", "owner_request")]


async def call(client: Client, name: str, **given: object) -> dict[str, Any]:
    found = await client.call_tool(f"knowledge_{name}", given)
    assert not found.is_error, (name, text_of(found))
    data: dict[str, Any] = found.structured_content
    return data


@BOTH
def test_four_calls_lead_to_an_answer_with_citations(place: Place, transport: Opened) -> None:
    """Retrieve, the entity it names, retrieve again, the exact text; then the answer, checked."""

    async def act() -> None:
        async with transport(place, place.own, "auto") as client:
            first = await call(client, "retrieve", query="cause of the failed oven at the plant", attempt="attempt-1")
            assert "INC-1842" in first["text"]
            entity = await call(client, "entity", entity="INC-1842")
            assert entity["entity"]["name"] == "INC-1842"
            assert any("INC-1842" in edge["statement"]["statement"] for edge in entity["edges"])
            second = await call(client, "retrieve", query="Falcon launch date moved", attempt="attempt-1")
            said = {line: await call(client, "get", statement=line) for line in second["citations"]}
            moved = (line for line, one in said.items() if "moved to April 10" in one["statement"]["statement"])
            key = next(moved).rpartition("/")[2]
            (piece,) = (await call(client, "evidence", statement=key))["evidence"]
            assert "because the Northwind parts slipped" in piece["excerpt"]
            names = ("source_id", "version", "excerpt_hash", "start", "end")
            reference = {"statement": key, "evidence_id": piece["id"], **{name: piece[name] for name in names}}
            opened = await call(client, "open", reference=reference)
            assert opened["text"] == piece["excerpt"]
            answer = f"One source has it that “{piece['excerpt']}” (knowledge:{place.slug}/{key})."
            report = await call(client, "cite", package=second["package"], answer=answer)
            assert report["cited_and_admitted"] == [key]
            assert {each["kind"] for each in report["findings"]} == {"one_side_only"}, "the other date was not named"
            done = await call(client, "outcome", package=second["package"], outcome="answered", raw=answer)
            assert done["grounding"] == "grounded"
            checked = await call(client, "check", package=second["package"])
            assert {each["verdict"] for each in checked["items"]} <= {"holds", "contested"}
            uri = f"knowledge:{place.slug}/packages/{second['package']}"
            (again,) = (await client.read_resource(uri)).contents
            assert again.text == second["text"]

    run(act)


def test_a_packet_goes_from_retrieval_to_admission(place: Place) -> None:
    async def act() -> None:
        async with place.over_http(place.own) as client:
            packet = (await call(client, "retrieve", query="project lead of Falcon", with_packet=True))["packet"]
            admitted = await call(client, "admit", packet=packet, system_instruction="Answer from the evidence.")
            assert admitted["status"] == "admitted"
            assert admitted["prompt"].startswith("Answer from the evidence.\n\nEVIDENCE\n[")
            assert admitted["envelope"]["schema"] == "retrieval-capstone-v1"
            refused = await client.call_tool("knowledge_admit", {"packet": {**packet, "schema": "v0"}})
            assert refused.is_error
            async with place.over_http(place.foreign) as stranger:
                found = await stranger.call_tool("knowledge_admit", {"packet": packet})
                assert found.is_error, "a packet of another scope admits nothing"

    run(act)


@BOTH
def test_a_package_of_another_reads_like_none(place: Place, transport: Opened) -> None:
    key = place.ask(place.own, "retrieve", {"query": "Falcon launch date"}).json()["data"]["package"]

    async def act() -> None:
        async with transport(place, place.foreign, "auto") as client:
            errors = []
            for uri in (
                f"knowledge:{place.slug}/packages/{key}",
                *(f"knowledge:elsewhere/packages/{k}" for k in (key, NONE)),
            ):
                with pytest.raises(MCPError) as refused:
                    await client.read_resource(uri)
                errors.append((refused.value.code, refused.value.message))
            assert len(set(errors)) == 1
            for name, more in (
                ("package", {}),
                ("check", {}),
                ("cite", {"answer": "x"}),
                ("outcome", {"outcome": "answered"}),
            ):
                told = [await client.call_tool(f"knowledge_{name}", {"package": each, **more}) for each in (key, NONE)]
                assert all(each.is_error for each in told), name
                assert len({text_of(each).partition("Request id:")[0] for each in told}) == 1, name

    run(act)


def test_a_document_held_back_between_two_calls_is_read_by_neither(place: Place) -> None:
    def ask(path: str, **body: object) -> dict[str, Any]:
        found: dict[str, Any] = place.ask(place.own, path, body).json()
        return found

    made = ask("retrieve", query="autopilot firmware", with_packet=True)["data"]
    assert "4.2.1" in made["text"]
    place.manage(DELETE.format(path="06-", steps=HIDE))
    admitted = ask("admit", packet=made["packet"])["data"]
    assert admitted["status"] in ("refused", "partial")
    assert "4.2.1" not in json.dumps(admitted)
    assert read(place, made["package"])["state"] == "evidence_unavailable"
    corrected = corrections(place)
    mine = [each for each in corrected["items"] if made["package"] in each["packages"]]
    assert {each["verdict"] for each in mine} == {"unavailable"}
    assert {each["cause"] for each in mine} == {"lifecycle"}
    place.manage(DELETE.format(path="06-", steps=SHOW))
    assert read(place, made["package"])["text"] == made["text"], "held back, not purged"
    later = corrections(place, corrected["next_cursor"])
    assert {each["verdict"] for each in later["items"] if made["package"] in each["packages"]} == {"holds"}
    assert corrections(place, later["next_cursor"])["items"] == []


def test_a_deletion_purges_what_quotes_it_for_good(place: Place) -> None:
    made = place.ask(place.own, "retrieve", {"query": "wing load test new spars"}).json()["data"]
    assert "structures team" in made["text"]
    assert b"structures team" in store(place)
    place.manage(DELETE.format(path="07-", steps=GONE))
    assert b"structures team" not in store(place)
    told = read(place, made["package"])
    assert (told["state"], told["text"], told["digest"]) == ("evidence_unavailable", "", made["digest"])

    async def act() -> None:
        async with place.over_http(place.own) as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource(f"knowledge:{place.slug}/packages/{made['package']}")
            assert "evidence" in refused.value.message

    run(act)


def test_a_ruling_and_its_undo_reach_the_package_and_leave_its_bytes(place: Place) -> None:
    made = place.ask(place.own, "retrieve", {"query": "Falcon launch date"}).json()["data"]
    _, cursor = mine(place, made["package"], corrections(place)["next_cursor"])
    verdicts = {each["verdict"] for each in check(place, made["package"])}
    assert verdicts == {"contested"}
    place.manage(RULE.format(value="2026-04-10"))
    items, cursor = mine(place, made["package"], cursor)
    assert [(each["verdict"], each["cause"]) for each in items] == [("superseded", "ruling")]
    assert items[0]["successor"] in {each["statement_id"] for each in check(place, made["package"])}
    assert {each["verdict"] for each in check(place, made["package"])} == {"holds", "superseded"}
    assert read(place, made["package"])["text"] == made["text"], "what was superseded may still be read"
    place.manage(UNDO)
    items, cursor = mine(place, made["package"], cursor)
    assert [(each["verdict"], each["cause"]) for each in items] == [("contested", "undo")]
    assert mine(place, made["package"], cursor)[0] == []


def mine(place: Place, key: str, cursor: str) -> tuple[list[dict[str, Any]], str]:
    found = corrections(place, cursor)
    return [each for each in found["items"] if key in each["packages"]], found["next_cursor"]


def check(place: Place, key: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = place.ask(place.own, "check", {"package": key}).json()["data"]["items"]
    return items


def test_a_later_import_closes_a_gap_and_names_the_statement(place: Place) -> None:
    question = {"query": "Which kangaroo guards the hangar?"}
    assert place.ask(place.own, "retrieve", {"query": "kangaroo"}).json()["data"]["abstention"]["code"] == "no_match"
    place.manage(IMPORT)
    wait(lambda: place.ask(place.own, "retrieve", question).json()["data"]["facts"] > 0)
    wait(lambda: asked_again(place)[0] == "closed")
    _, statement = asked_again(place)
    told = place.ask(place.own, "get", {"statement": statement}).json()["data"]["statement"]["statement"]
    assert "kangaroo" in told


def asked_again(place: Place) -> tuple[str, str]:
    """State and statement of the gap after a pass by hand; the feed's own pass may have closed it before."""
    done = subprocess.run(
        [sys.executable, "manage.py", "gaps"],
        cwd=ROOT,
        env=place.stack.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ((state, statement),) = json.loads(place.manage(CLOSED))
    return state, statement


def store(place: Place) -> bytes:
    """Every byte of the console's database, once its log is written into it."""
    place.manage(CHECKPOINT)
    files = [place.stack.folder / name for name in ("console.sqlite3", "console.sqlite3-wal")]
    return b"".join(path.read_bytes() for path in files if path.exists())


def read(place: Place, key: str) -> dict[str, Any]:
    tool = tool_named("knowledge_package")
    assert tool is not None
    found: dict[str, Any] = place.as_json(place.own, tool, {"package": key}).json()
    assert found["success"], found
    data: dict[str, Any] = found["data"]
    return data


def corrections(place: Place, cursor: str = "") -> dict[str, Any]:
    tool = tool_named("knowledge_corrections")
    assert tool is not None
    found: dict[str, Any] = place.as_json(place.own, tool, {"cursor": cursor} if cursor else {}).json()
    assert found["success"], found
    data: dict[str, Any] = found["data"]
    return data


def test_the_client_asks_reads_and_is_held_to_it(place: Place) -> None:
    with KnowledgeClient(place.stack.url, place.own) as client:
        found = client.retrieve("Falcon launch date moved", attempt="attempt-2", with_packet=True)
        key = found.citations[0].rpartition("/")[2]
        piece = client.get(key, history=True)
        assert piece.statement.id == key
        (first, *_) = client.evidence(key).evidence
        names = ("source_id", "version", "excerpt_hash", "start", "end")
        told = {name: getattr(first, name) for name in names}
        opened = client.open(arguments.Place(statement=key, evidence_id=first.id, **told))
        assert opened.text == first.excerpt
        assert client.search("Falcon launch date").hits
        assert client.recall("Falcon launch date").hits
        assert client.entity("Project Falcon").edges
        assert client.neighbors("Project Falcon", depth=2).edges
        assert client.walk("Project Falcon", "launch date").steps
        assert client.history(key).items
        assert found.packet is not None
        assert client.admit(found.packet, prompt_budget=20_000).status in ("admitted", "partial")
        assert client.cite(found.package, f"“{first.excerpt}” ({found.citations[0]})").cited_and_admitted == [key]
        assert client.outcome(found.package, "answered", "It moved.").grounding
        assert client.package(found.package).text == found.text
        assert {each.statement_id for each in client.check(package=found.package).items} >= {key}
        assert client.corrections().more is False
        with pytest.raises(Refused) as refused:
            client.get("ki_unknown")
        assert refused.value.code == "not_found"
    with KnowledgeClient(place.stack.url, "ant_nobody") as nobody, pytest.raises(Refused, match="unauthorized"):
        nobody.search("Falcon")
