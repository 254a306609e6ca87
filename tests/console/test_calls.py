"""Every page for people, with each of its questions and each known object: at most three engine calls.

The base of the project bar counts as one; who the engine is does not, as that is remembered for seconds.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from django.test import Client

from console.backups.models import Backup, BackupState
from console.missions.actions import Wanted, asked_of, queue_mission
from console.missions.models import Action
from console.people.models import User
from console.policy import Door
from console.projects.models import Project
from console.tokens.models import AgentToken
from knowledge.scope import KnowledgeScope, Level
from tests.console import falcon
from tests.console.conftest import BY, signed_in
from tests.console.fake import FakeProvider
from tests.console.routes import OBJECTS, Route, routes
from tests.console.test_callers import given_secret
from tests.console.test_gaps import ask, imported
from tests.console.test_packages import retrieved

MOST = 3
SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")
PAGES = [route for route in routes() if route.asks.get("GET") not in (None, Door.AGENT)]
REMEMBERED = "engine"
ELSEWHERE = {"home", "sign-in", "sign-in-code", "review-bulk", "backup-download"}
"""Routes that lead on from where they are asked for: signed in already, without a list to rule on or a file here."""
ASKED = {
    "knowledge": [
        "",
        "?q=launch+date+of+Falcon",
        "?status=disputed",
        "?as_of=2026-03-01&q=launch",
        "?known_at=2026-03-01",
    ],
    "find": ["", "?q=launch"],
    "find-pages": ["", "?q=falcon"],
    "agent-view": ["", "?q=Why+was+the+Falcon+launch+date+changed%3F"],
    "timeline": ["?key=falcon%7Claunch_date"],
    "entities": ["", "?q=falcon"],
    "packages": ["", "?statement=ki_10"],
    "review": ["", "?tab=assigned", "?tab=maybe", "?tab=solved", "?tab=orphaned", "?kind=contradiction"],
    "conflict": ["", "?tab=open"],
    "candidates": ["", "?status=accepted"],
    "review-history": ["", "?who=Mara"],
    "source": ["", "?at=20&e=ev_10_mail"],
}


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project, per_minute=1000)


def objects(engine: FakeProvider) -> Iterator[tuple[str, str]]:
    """Every object of the fake, by the argument of an address that names it."""
    known = {
        "source_id": engine.known_sources,
        "statement_id": engine.known_statements,
        "conflict_id": engine.known_conflicts,
        "candidate_id": engine.known_candidates,
        "entity_id": engine.known_entities,
    }
    for argument, rows in known.items():
        for one in rows:
            yield argument, one


def addresses(route: Route, engine: FakeProvider, project: Project, pk: int, made: dict[str, str]) -> list[str]:
    real = {**OBJECTS, **made}
    named = [{**real, argument: one} for argument, one in objects(engine) if argument in route.arguments]
    told = [route.url(project=project.slug, pk=pk, objects=each) for each in named or [real]]
    return [address + asked for address in told for asked in ASKED.get(route.name, [""])]


@pytest.mark.parametrize("is_long", [False, True], ids=["texts come along", "texts are too long"])
@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
def test_no_page_asks_the_engine_more_than_three_times(
    owner: User, project: Project, engine: FakeProvider, secret: str, route: Route, *, is_long: bool
) -> None:
    engine.create_export(SCOPE, format="jsonl")
    engine.known_imports = [falcon.package_import()]
    package = retrieved(secret)["package"]
    wanted = Wanted(title="Why", action=Action.ANSWER, subject=asked_of(1, ["Why?"]), questions=("Why?",))
    queued = queue_mission(
        by=BY, project=project, instance_id="fgi_5d0f27", base_id=SCOPE.base_id, wanted=wanted
    ).mission
    backup = Backup.objects.create(key="bkp_1", state=BackupState.DONE, file="elsewhere.anthill")
    made = {"package": package, "package_key": package, "mission_key": queued.key, "backup_key": backup.key}
    for at in range(3):
        ask(secret, f"What about zanzibar {at}?")
    imported(engine)
    if is_long:
        engine.long_texts = set(engine.known_sources)
    client = signed_in(owner)
    pk = AgentToken.objects.get().pk if route.name.startswith("token") else owner.pk
    for address in addresses(route, engine, project, pk, made):
        engine.calls.clear()
        answer = client.get(address)
        expected = 302 if route.name in ELSEWHERE else 200
        assert answer.status_code == expected, (address, answer.status_code)
        assert b"".join(answer) or expected == 302, address
        asked = [call for call in engine.calls if call != REMEMBERED]
        assert len(asked) <= MOST, (address, asked)


def test_the_count_sees_what_a_page_asks(as_owner: Client, project: Project, engine: FakeProvider) -> None:
    """Else a fake that stopped counting would pass for pages that ask little."""
    for address, calls in (
        ("sources/src_mail", ["base", "source_brief"]),
        ("knowledge/ki_10", ["base", "statement_brief"]),
        ("knowledge/ki_10/proof", ["base", "grounds", "check_references"]),
    ):
        engine.calls.clear()
        as_owner.get(f"/p/{project.slug}/{address}")
        assert [call for call in engine.calls if call != REMEMBERED] == calls


def test_a_chain_of_successors_is_no_further_question(as_owner: Client, project: Project, engine: FakeProvider) -> None:
    known = engine.known_statements
    for old, new in pairwise(sorted(known)):
        known[old] = replace(known[old], superseded_by=new)
    as_owner.get(f"/p/{project.slug}/knowledge/agent?q=falcon+launch+date")
    assert [call for call in engine.calls if call != REMEMBERED] == ["base", "search", "statements_by_id"]
