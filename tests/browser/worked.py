"""What agents worked on before a picture is taken: missions of every state, and proposals to decide."""

from console.missions.actions import cancel_mission
from console.missions.models import Mission
from console.projects.models import Project
from console.proposals.deciding import decline
from knowledge.tools.working import Amount
from tests.console.conftest import BY
from tests.console.test_callers import given_secret
from tests.console.working import QUESTION, done, proposed, queued

WRONG = (
    "It launches on April 11, 2026 (knowledge:falcon-programme/ki_10).\n"
    "One source says March 3, 2026 (knowledge:falcon-programme/ki_3)."
)


def work_on(project: Project) -> str:
    """The key of the mission that has a result with findings."""
    secrets = [given_secret(project, per_minute=1000, works=True) for _ in range(2)]
    answered = queued(project, budget=Amount(calls=2, facts=300, bytes=1_000_000))
    fence = done(secrets[0], "claim", {"mission": answered.key, "worker": "planner, first shift"})["fence"]
    package = done(secrets[0], "retrieve", {"query": QUESTION})["package"]
    told = {"mission": answered.key, "fence": fence, "outcome": "done", "result": WRONG, "packages": [package]}
    done(secrets[0], "finish", told)
    cancel_mission(by=BY, mission=queued(project, "Who cleans the canteen?"))
    queued(project, "Where is the spare propeller kept, and who has the key to it?")
    working = queued(project, "What does the insurance cover, and until when?")
    done(secrets[1], "claim", {"mission": working.key, "worker": "writer-7"})
    decline(by=BY, proposal=proposed(secrets[0], ruling="neither", statement=""), reason="The mail is signed.")
    proposed(secrets[1])
    assert Mission.objects.count() == 4
    return answered.key
