"""The reference agent studies Falcon end to end, over a real console with its engine."""

import json
import subprocess
import sys

from examples.agent.study import study
from knowledge.client import KnowledgeClient
from tests.browser.stack import ROOT
from tests.contract.place import Place, place

__all__ = ["place"]

QUESTIONS = (
    "Why was the Falcon launch date changed?",
    "Who leads Project Falcon?",
    "What does the canteen serve on Mars?",
)
KEPT = """
import json
from console.missions.models import Mission, Result
from console.proposals.models import Proposal
rows = Result.objects.filter(mission__key={key!r})
mission = Mission.objects.get(key={key!r})
print(json.dumps({{
    "results": [[each.outcome, each.holds, each.finding_count, each.packages.count()] for each in rows],
    "text": rows[0].text, "spent": [mission.calls_spent, mission.facts_spent, mission.bytes_spent],
    "state": mission.state, "proposals": list(Proposal.objects.values_list("key", "state", "ruling")),
}}))
"""
AGAIN = """
from console.missions.models import Mission
Mission.objects.filter(key={key!r}).update(subject={key!r})
"""


def test_falcon_is_studied_end_to_end(place: Place) -> None:
    key = place.queue(*QUESTIONS)
    with KnowledgeClient(place.stack.url, place.worker) as client:
        (done,) = study(client, worker="reference")
        assert study(client, worker="reference") == [], "nothing is left to claim"
    assert (done.mission, done.answer is not None) == (key, True)
    assert done.answer is not None
    assert (done.answer.state, done.answer.holds, done.answer.findings) == ("done", True, [])
    assert "The sources do not tell." in done.result
    assert "Sources disagree; one says" in done.result
    kept = json.loads(place.manage(KEPT.format(key=key)))
    assert kept["results"] == [["done", True, 0, len(done.packages)]]
    assert kept["text"] == done.result
    assert kept["state"] == "done"
    assert all(kept["spent"])
    assert done.proposals
    assert {each[0] for each in kept["proposals"]} >= set(done.proposals)
    assert {each[1:] for each in map(tuple, kept["proposals"])} == {("open", "choose_side")}


def test_the_same_mission_gives_the_same_answer(place: Place) -> None:
    told = []
    for _ in range(2):
        key = place.queue("Who leads Project Falcon?")
        with KnowledgeClient(place.stack.url, place.worker) as client:
            told.append(study(client)[0].result)
        place.manage(AGAIN.format(key=key))
    assert told[0] == told[1]


def test_from_the_command_line(place: Place) -> None:
    place.queue("What is the budget of Project Falcon?")
    done = subprocess.run(
        [sys.executable, "-m", "examples.agent.study", place.stack.url],
        cwd=ROOT,
        env={**place.stack.environment, "ANTHILL_AGENT_TOKEN": place.worker},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "citations hold" in done.stdout
    assert place.worker not in done.stdout + done.stderr
