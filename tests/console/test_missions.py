"""Missions: queued once, claimed by one, paid exactly, handed in once, whoever crashes or clicks twice."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEvent
from console.missions.actions import cancel_mission
from console.missions.leasing import LEASE, release_overdue
from console.missions.models import Attempt, AttemptState, Mission, MissionState, Result
from console.packages.actions import purge_packages
from console.packages.models import Package
from console.people.models import User
from console.policy import Permission
from console.projects.actions import make_project
from console.projects.models import Project
from console.tokens.actions import rotate_token
from console.tokens.models import AgentToken, ToolCall
from knowledge.failures import Failed, Failure
from knowledge.tools.working import Amount
from knowledge.vocabulary import Band
from tests.console.conftest import BY, signed_in
from tests.console.fake import FakeProvider
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.working import QUESTION, done, queued

PAGE = "/p/falcon-programme/colony/missions"
BOTH = (
    "One source says March 3, 2026 (knowledge:falcon-programme/ki_3), "
    "another April 10, 2026 (knowledge:falcon-programme/ki_10)."
)
FORM = {"title": "Launch", "questions": QUESTION, "documents": "", "band": "tenant", "calls": 20, "facts": 100}


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project, per_minute=10_000, works=True)


def form(**more: object) -> dict[str, Any]:
    return {**FORM, "bytes": 100_000, **more}


def claimed(secret: str, mission: Mission, worker: str = "") -> int:
    return int(done(secret, "claim", {"mission": mission.key, "worker": worker})["fence"])


def finished(secret: str, mission: Mission, fence: int, **more: object) -> tuple[int, Any]:
    body = {"mission": mission.key, "fence": fence, "outcome": "done", "result": BOTH, **more}
    return asked(secret, "finish", body)[:2]


def test_a_mission_from_the_page_to_the_result(secret: str, as_member: Client, project: Project) -> None:
    answer = as_member.post(PAGE, form(), follow=True)
    mission = Mission.objects.get()
    assert f"{PAGE}/{mission.key}" in answer.redirect_chain[-1][0]
    listed = done(secret, "missions")["items"]
    assert [each["questions"] for each in listed] == [[QUESTION]]
    fence = claimed(secret, mission)
    assert "Worked on" in as_member.get(PAGE).content.decode()
    package = done(secret, "retrieve", {"query": QUESTION})["package"]
    status, found = finished(secret, mission, fence, packages=[package])
    assert (status, found["data"]["holds"], found["data"]["state"]) == (200, True, "done")
    page = as_member.get(f"{PAGE}/{mission.key}").content.decode()
    assert "Citations hold" in page
    assert "another April 10, 2026" in page
    assert package in page
    told = list(AuditEvent.objects.filter(action__startswith="mission.").values_list("action", flat=True))
    assert sorted(told) == ["mission.claimed", "mission.finished", "mission.made"]


def test_a_double_click_queues_nothing_twice(as_member: Client) -> None:
    for words in (QUESTION, QUESTION.upper(), f"  {QUESTION}  "):
        as_member.post(PAGE, form(questions=words))
    assert Mission.objects.count() == 1
    as_member.post(PAGE, form(questions="Who leads it?"))
    assert Mission.objects.count() == 2


def test_a_new_revision_is_new_work(as_member: Client, engine: FakeProvider) -> None:

    as_member.post(PAGE, form())
    base = engine.known_bases["proj_falcon"]
    engine.known_bases["proj_falcon"] = replace(base, current_revision=base.current_revision + 1)
    as_member.post(PAGE, form())
    assert Mission.objects.count() == 2


def test_documents_are_missions_of_their_own_once_each(as_member: Client, engine: FakeProvider) -> None:
    paths = [each.path for each in engine.known_sources.values() if each.superseded_by is None][:2]
    for _ in range(2):
        as_member.post(PAGE, form(questions="", documents="\n".join(paths)))
    assert sorted(each.documents[0] for each in Mission.objects.all()) == sorted(paths)
    assert set(Mission.objects.values_list("action", flat=True)) == {"study"}
    answer = as_member.post(PAGE, form(questions="", documents="nowhere.txt"))
    assert answer.status_code == 422
    assert "No such document: nowhere.txt" in answer.content.decode()
    assert 'value="Launch"' in answer.content.decode()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"title": ""}, "Give it a title"),
        ({"questions": ""}, "Ask something, or name a document"),
        ({"questions": "\n".join(f"Q{at}?" for at in range(11))}, "Ten at most"),
        ({"calls": 0}, "At least 1."),
        ({"bytes": "many"}, "Enter a whole number."),
    ],
)
def test_bad_input_is_told_at_the_field_and_queues_nothing(as_member: Client, more: dict[str, Any], told: str) -> None:
    answer = as_member.post(PAGE, form(**more))
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert not Mission.objects.exists()


def test_a_viewer_sees_and_makes_nothing(viewer: User, project: Project) -> None:
    mission, client = queued(project), signed_in(viewer)
    page = client.get(PAGE).content.decode()
    assert "Launch" in page
    assert "Queue it" not in page
    assert client.post(PAGE, form(questions="Else?")).status_code == 403
    assert client.post(f"{PAGE}/{mission.key}/cancel").status_code == 403
    assert Mission.objects.get().state == MissionState.QUEUED


def test_one_worker_a_mission_and_one_mission_a_token(secret: str, project: Project) -> None:
    first, second = queued(project), queued(project, "Who leads it?")
    other = given_secret(project, works=True)
    claimed(secret, first)
    assert asked(other, "claim", {"mission": first.key})[0] == 409
    status, found, _ = asked(secret, "claim", {"mission": second.key})
    assert (status, found["error"]["code"]) == (409, "conflict")
    assert done(other, "claim", {})["mission"]["id"] == second.key
    third = given_secret(project, works=True)
    assert done(third, "claim", {})["mission"] is None


def test_the_same_worker_gets_the_same_claim_again_after_a_crash(secret: str, project: Project) -> None:
    mission = queued(project)
    fences = [claimed(secret, mission, "worker-1") for _ in range(3)]
    assert fences == [1, 1, 1]
    assert Attempt.objects.count() == 1
    assert asked(secret, "claim", {"mission": mission.key, "worker": "worker-2"})[0] == 409


def test_a_late_worker_hands_nothing_in(secret: str, project: Project) -> None:
    mission, other = queued(project), given_secret(project, works=True)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        late = claimed(secret, mission)
        clock.shift(LEASE + timedelta(seconds=1))
        fence = claimed(other, mission)
        assert fence == late + 1
        for path, body in (("renew", {}), ("finish", {"outcome": "done", "result": "late"})):
            status, found, _ = asked(secret, path, {"mission": mission.key, "fence": late, **body})
            assert (status, found["error"]["code"]) == (409, "conflict")
        stolen = asked(secret, "finish", {"mission": mission.key, "fence": fence, "outcome": "done", "result": "x"})
        assert stolen[0] == 409
        assert finished(other, mission, fence)[0] == 200
    assert Result.objects.get().attempt.fence == fence


def test_a_heartbeat_keeps_it(secret: str, project: Project) -> None:
    mission, other = queued(project), given_secret(project, works=True)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        fence = claimed(secret, mission)
        for _ in range(3):
            clock.shift(LEASE - timedelta(seconds=1))
            assert done(secret, "renew", {"mission": mission.key, "fence": fence})["lease_seconds"] == 300
            assert asked(other, "claim", {"mission": mission.key})[0] == 409
        assert finished(secret, mission, fence)[0] == 200


def test_tries_are_bounded_and_it_can_be_queued_again(secret: str, project: Project, as_member: Client) -> None:
    mission = queued(project)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(3):
            claimed(secret, mission)
            clock.shift(LEASE + timedelta(seconds=1))
        assert done(secret, "missions")["items"] == []
        mission.refresh_from_db()
        assert (mission.state, mission.tries) == (MissionState.FAILED, 3)
        assert "3 tries ended without a result" in as_member.get(f"{PAGE}?part=ended").content.decode()
        assert queued(project).pk == mission.pk
        mission.refresh_from_db()
        assert (mission.state, mission.tries, mission.fence) == (MissionState.QUEUED, 0, 3)
        assert claimed(secret, mission) == 4


def test_a_result_handed_in_twice_is_one(secret: str, project: Project) -> None:
    mission = queued(project)
    fence = claimed(secret, mission)
    told = [finished(secret, mission, fence)[0] for _ in range(2)]
    assert told == [200, 200]
    assert finished(secret, mission, fence, result="another")[0] == 409
    assert Result.objects.get().text == BOTH


def test_a_rotated_token_goes_on_with_its_mission(secret: str, project: Project) -> None:
    mission = queued(project)
    fence = claimed(secret, mission)
    made = rotate_token(by=BY, token=AgentToken.objects.get(), overlap=timedelta(hours=1))
    assert finished(made.secret, mission, fence)[0] == 200
    assert finished(secret, mission, fence)[0] == 200, "the old one is the same agent"
    assert Result.objects.count() == 1


def test_a_cancelled_mission_takes_nothing_in(secret: str, project: Project, as_member: Client) -> None:
    mission = queued(project)
    fence = claimed(secret, mission)
    assert as_member.post(f"{PAGE}/{mission.key}/cancel", follow=True).status_code == 200
    assert finished(secret, mission, fence)[0] == 409
    assert Attempt.objects.get().state == AttemptState.CANCELLED
    assert not cancel_mission(by=BY, mission=mission)
    assert done(secret, "missions")["items"] == []


def test_an_agent_gives_up_with_its_reason(secret: str, project: Project, as_member: Client) -> None:
    mission = queued(project)
    fence = claimed(secret, mission)
    assert finished(secret, mission, fence, outcome="failed", result="Nothing speaks of it.")[0] == 200
    mission.refresh_from_db()
    assert mission.state == MissionState.FAILED
    page = as_member.get(f"{PAGE}/{mission.key}").content.decode()
    assert "Nothing speaks of it." in page
    assert "Not grounded" in page


def test_the_budget_is_charged_to_the_call_the_statement_and_the_byte(secret: str, project: Project) -> None:
    done(secret, "search", {"query": QUESTION})
    mission = queued(project, budget=Amount(calls=3, facts=1000, bytes=1_000_000))
    fence = claimed(secret, mission)
    facts = size = 0
    for _ in range(2):
        data = done(secret, "search", {"query": QUESTION})
        facts += len(data["hits"])
        size += len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())
    assert asked(secret, "get", {"statement": "ki_nobody"})[0] == 404, "refused, and a call all the same"
    mission.refresh_from_db()
    assert (mission.calls_spent, mission.facts_spent, mission.bytes_spent) == (3, facts, size)
    status, found, _ = asked(secret, "search", {"query": QUESTION})
    assert (status, found["error"]["code"]) == (409, "budget_exhausted")
    assert finished(secret, mission, fence)[0] == 200, "what is held can be handed in"
    assert asked(secret, "search", {"query": QUESTION})[0] == 200, "no mission, no budget"


def test_an_answer_beyond_the_budget_leaves_in_no_part(secret: str, project: Project) -> None:
    mission = queued(project, budget=Amount(calls=10, facts=1, bytes=1_000_000))
    claimed(secret, mission)
    status, found, _ = asked(secret, "retrieve", {"query": QUESTION})
    assert (status, found["error"]["code"]) == (409, "budget_exhausted")
    assert "ki_" not in json.dumps(found)
    assert not Package.objects.exists()
    mission.refresh_from_db()
    assert (mission.calls_spent, mission.facts_spent, mission.bytes_spent) == (1, 0, 0)
    assert asked(secret, "evidence", {"statement": "ki_10"})[0] == 200
    mission.refresh_from_db()
    assert mission.facts_spent == 1
    assert asked(secret, "evidence", {"statement": "ki_10"})[0] == 409


def test_silence_is_no_way_around_a_budget(secret: str, project: Project) -> None:
    mission = queued(project, budget=Amount(calls=1, facts=100, bytes=1_000_000))
    with time_machine.travel(timezone.now(), tick=False) as clock:
        claimed(secret, mission)
        assert asked(secret, "search", {"query": QUESTION})[0] == 200
        clock.shift(LEASE + timedelta(minutes=1))
        assert asked(secret, "search", {"query": QUESTION})[0] == 409


def test_what_is_not_ones_own_is_as_good_as_unknown(secret: str, project: Project) -> None:
    general = given_secret(project, band=Band.GENERAL, works=True)
    tenant = queued(project)
    foreign = queued(make_project(by=BY, name="Elsewhere"), "Else?")
    bodies = set()
    for who, key in ((general, tenant.key), (secret, foreign.key), (secret, f"msn_{0:032x}")):
        status, found, _ = asked(who, "claim", {"mission": key})
        bodies.add((status, json.dumps({**found, "error": {**found["error"], "request_id": ""}})))
    assert len(bodies) == 1
    assert done(general, "missions")["items"] == []
    assert [each["id"] for each in done(secret, "missions")["items"]] == [tenant.key]


def test_reading_alone_claims_nothing(project: Project) -> None:
    reader = given_secret(project)
    for path, body in (("missions", None), ("claim", {}), ("renew", {"mission": f"msn_{0:032x}", "fence": 1})):
        assert asked(reader, path, body)[0] == 403
    assert Permission.WORK_MISSIONS not in AgentToken.objects.get().granted


def test_a_purge_empties_the_result_with_its_package(secret: str, project: Project, as_member: Client) -> None:
    mission = queued(project)
    fence = claimed(secret, mission)
    package = done(secret, "retrieve", {"query": QUESTION})["package"]
    finished(secret, mission, fence, packages=[package], result=f"{BOTH} It is May 9, 2026 {BOTH[-36:]}")
    purge_packages(by=BY, project=project.slug, packages=[Package.objects.get().pk], because="deleted")
    row = Result.objects.get()
    assert (row.text, row.findings) == ("", [])
    assert row.purged_at is not None
    page = as_member.get(f"{PAGE}/{mission.key}").content.decode()
    assert "a document it rests on was deleted" in page
    assert "another April 10" not in page


def test_a_result_is_hidden_while_what_it_rests_on_is(
    secret: str, project: Project, as_member: Client, engine: FakeProvider
) -> None:
    mission = queued(project)
    fence = claimed(secret, mission)
    package = done(secret, "retrieve", {"query": QUESTION})["package"]
    finished(secret, mission, fence, packages=[package])
    engine.hidden_references = {"ki_10"}
    assert "another April 10" not in as_member.get(f"{PAGE}/{mission.key}").content.decode()
    engine.hidden_references = set()
    assert "another April 10" in as_member.get(f"{PAGE}/{mission.key}").content.decode()


def test_nothing_is_released_before_its_time(secret: str, project: Project) -> None:
    claimed(secret, queued(project))
    assert release_overdue() == 0
    assert release_overdue(timezone.now() + LEASE + timedelta(seconds=1)) == 1


def test_every_call_made_for_a_mission_is_recorded_with_it(secret: str, project: Project, as_member: Client) -> None:
    done(secret, "search", {"query": QUESTION})
    mission = queued(project)
    fence = claimed(secret, mission)
    package = done(secret, "retrieve", {"query": QUESTION})["package"]
    asked(secret, "get", {"statement": "ki_none"})
    finished(secret, mission, fence, packages=[package])
    done(secret, "search", {"query": QUESTION})
    told = list(ToolCall.objects.order_by("pk").values_list("tool", "mission"))
    assert told == [
        ("knowledge_search", ""),
        ("knowledge_claim", mission.key),
        ("knowledge_retrieve", mission.key),
        ("knowledge_get", mission.key),
        ("knowledge_finish", mission.key),
        ("knowledge_search", ""),
    ]
    page = as_member.get(f"{PAGE}/{mission.key}").content.decode()
    assert "Calls made for it" in page
    assert page.count("req_of_the_agent") == 4
    assert "not_found" in page


def test_documents_are_picked_from_the_sources_and_typed(as_member: Client, engine: FakeProvider) -> None:
    page = as_member.get(PAGE).content.decode()
    paths = sorted(each.path for each in engine.known_sources.values() if each.superseded_by is None)
    assert all(f'value="{path}"' in page for path in paths)
    told = {"questions": "", "picked": paths[:1], "documents": paths[1]}
    assert as_member.post(PAGE, form(**told)).status_code == 302
    assert sorted(each.documents for each in Mission.objects.all()) == [[paths[0]], [paths[1]]]
    wrong = as_member.post(PAGE, form(questions="", picked=["gone.txt"]))
    assert wrong.status_code == 422
    assert "not among the sources any more" in wrong.content.decode()
    engine.failures["sources"] = Failed(Failure.TIMEOUT, "No reply.")
    assert "Pick documents" not in as_member.get(PAGE).content.decode(), "then they are typed"
