"""Missions and proposals for tests, made as people and agents make them."""

from typing import Any

from console.missions.actions import Wanted, asked_of, queue_mission
from console.missions.models import Action, Mission
from console.projects.models import Project
from console.proposals.models import Proposal
from knowledge.tools.working import Amount
from knowledge.vocabulary import Band
from tests.console.conftest import BY
from tests.console.test_agent_api import asked

QUESTION = "When is the Falcon launch date?"


def queued(
    project: Project,
    question: str = QUESTION,
    *,
    base_id: str = "proj_falcon",
    band: Band = Band.TENANT,
    budget: Amount | None = None,
) -> Mission:
    wanted = Wanted(
        title="Launch",
        action=Action.ANSWER,
        subject=asked_of(1, [question]),
        questions=(question,),
        band=band,
        budget=budget or Amount(calls=20, facts=100, bytes=500_000),
    )
    made = queue_mission(by=BY, project=project, instance_id="fgi_5d0f27", base_id=base_id, wanted=wanted)
    return made.mission


def done(secret: str, path: str, body: object = None) -> dict[str, Any]:
    status, found, _ = asked(secret, path, body)
    assert status == 200, found
    data: dict[str, Any] = found["data"]
    return data


def proposed(secret: str, **more: object) -> Proposal:
    """That the later launch date holds, from a package that holds the conflict."""
    package = done(secret, "retrieve", {"query": QUESTION})["package"]
    told = {"ruling": "choose_side", "statement": "ki_10", "reason": "The mail is later and says why.", **more}
    data = done(secret, "review", {"conflict": "cf_date", "package": package, **told})
    return Proposal.objects.get(key=data["proposal"])
