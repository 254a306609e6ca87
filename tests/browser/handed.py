"""What agents did before a picture is taken: packages with outcomes and findings, and gaps of every kind."""

import json
from collections.abc import Callable

from django.test import Client

from console.gaps.actions import dismiss_gap
from console.gaps.models import Gap, GapState
from console.packages.models import Package
from console.projects.models import Project
from tests.console.conftest import BY
from tests.console.test_callers import given_secret

CITE = "knowledge:falcon-programme"
OPEN = ("What does the insurance cover?", "Who cleans the canteen?", "Where is the spare propeller kept?")


def hand_out(project: Project) -> str:
    """The key of the package that has everything."""
    secret = given_secret(project, per_minute=1000)
    ask = _asker(secret)
    key = ""
    for attempt in ("attempt-1", "attempt-2"):
        found = ask("retrieve", {"query": "When is the Falcon launch date?", "attempt": attempt, "purpose": "report"})
        key = found["package"]
    answer = f"It has moved to April 11, 2026 ({CITE}/ki_10)."
    ask("cite", {"package": key, "answer": answer})
    both = f"One source says March 3, 2026 ({CITE}/ki_3), another April 10, 2026 ({CITE}/ki_10)."
    ask("cite", {"package": key, "answer": both})
    ask(f"packages/{key}/outcome", {"outcome": "answered", "raw": both})
    for question in (*OPEN, *OPEN[:2], "Is the hangar heated?", "What is the weather on Mars?"):
        ask("search", {"query": question})
    closed, aside = (Gap.objects.get(question__contains=word) for word in ("hangar", "Mars"))
    Gap.objects.filter(pk=closed.pk).update(state=GapState.CLOSED, statement_id="ki_10", ended_at=closed.last_at)
    dismiss_gap(by=BY, gap=aside, reason="Nobody here asks that.")
    Gap.objects.update(asked_revision=1)
    assert Package.objects.filter(key=key).exists()
    return str(key)


def _asker(secret: str) -> Callable[[str, dict[str, object]], dict[str, str]]:
    client, headers = Client(), {"Authorization": f"Bearer {secret}"}

    def ask(path: str, body: dict[str, object]) -> dict[str, str]:
        answer = client.post(f"/knowledge/{path}", json.dumps(body), "application/json", headers=headers)
        assert answer.status_code == 200, answer.content
        data: dict[str, str] = answer.json()["data"]
        return data

    return ask
