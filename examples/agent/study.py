"""A reference agent: claims missions, answers by quoting, cites what it quotes, and proposes where sources disagree.

It uses no model and nothing of the console but ``knowledge.client``: the same mission over the same base gives the same
answer. Start it from the root of the repository with a token that may read, work on missions and propose rulings:

    ANTHILL_AGENT_TOKEN=ant_… .venv/bin/python -m examples.agent.study http://127.0.0.1:8000
"""

import os
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.client import KnowledgeClient, Refused
from knowledge.tools.shapes import ConflictShape, GetAnswer
from knowledge.tools.tasks import FinishAnswer, MissionShape

MOST_FACTS = 4
"""Quoted for one question; a conflict is always told whole."""
NOTHING = "The sources do not tell."


@dataclass(frozen=True, slots=True)
class Studied:
    """What became of one mission. ``proposals`` are ids; ``answer`` is None where it could not be handed in."""

    mission: str
    result: str
    packages: tuple[str, ...]
    answer: FinishAnswer | None
    proposals: tuple[str, ...]


def study(client: KnowledgeClient, *, worker: str = "", most: int = 10) -> list[Studied]:
    """Works on missions until none can be claimed, ``most`` at the outside. ``worker`` claims its own again."""
    done: list[Studied] = []
    while len(done) < most:
        claim = client.claim(worker=worker or uuid.uuid4().hex)
        if claim.mission is None:
            break
        done.append(_work(client, claim.mission, claim.fence))
    return done


def _work(client: KnowledgeClient, mission: MissionShape, fence: int) -> Studied:
    told: list[str] = []
    packages: list[str] = []
    conflicts: dict[str, tuple[ConflictShape, str]] = {}
    for question in mission.questions or [f"What does {name} say?" for name in mission.documents]:
        try:
            told.append(_answer(client, mission.id, question, packages, conflicts))
        except Refused as refused:
            if refused.code != "budget_exhausted":
                raise
            told.append(f"{question} The budget ended here.")
            break
        client.renew(mission.id, fence)
    result = "\n".join(told)
    proposals = [_propose(client, conflict, package) for conflict, package in conflicts.values()]
    answer = client.finish(mission.id, fence, result, packages=packages)
    return Studied(mission.id, result, tuple(packages), answer, tuple(each for each in proposals if each))


def _answer(
    client: KnowledgeClient,
    mission: str,
    question: str,
    packages: list[str],
    conflicts: dict[str, tuple[ConflictShape, str]],
) -> str:
    """Quotes the first facts of the context, each with its line to cite; of a conflict every side that is shown."""
    context = client.retrieve(question, attempt=mission, purpose="study")
    if not context.citations:
        return f"{question} {NOTHING}"
    packages.append(context.package)
    wanted = list(context.citations[:MOST_FACTS])
    lines: list[str] = []
    while wanted:
        opened = client.get(wanted.pop(0))
        line = _quote(opened)
        if line in lines:
            continue
        lines.append(line)
        for conflict in opened.conflicts:
            conflicts.setdefault(conflict.id, (conflict, context.package))
            wanted += [each.citation for each in conflict.competing if each.citation in context.citations]
        if len(lines) > MOST_FACTS * 3:
            break
    return "\n".join([question, *lines])


def _quote(opened: GetAnswer) -> str:
    """The words of a source where they could be located, and never surer than their support."""
    statement = opened.statement
    said = f"“{opened.evidence[0].excerpt}”" if opened.evidence else f"{statement.statement} (unresolved, reportedly)"
    lead = "Sources disagree; one says" if statement.contested else "It is written"
    hedge = " (possibly)" if statement.support in ("uncertain_inference", "unverified_claim") else ""
    return f"{lead}{hedge}: {' '.join(said.split())} ({statement.citation})"


def _propose(client: KnowledgeClient, conflict: ConflictShape, package: str) -> str:
    """The side whose statement holds from the latest day, where there is exactly one; else it leaves it to people."""
    dated = sorted((each for each in conflict.competing if each.effective_date), key=lambda each: each.effective_date)
    if conflict.not_shown or not dated or len(conflict.competing) < 2:
        return ""
    latest = [each for each in dated if each.effective_date == dated[-1].effective_date]
    if len({each.attribute_value for each in latest}) != 1:
        return ""
    reason = (
        f"Of what is shown this holds from the latest day, {latest[0].effective_date}. {conflict.suggestion}".strip()
    )
    try:
        filed = client.review(conflict.id, package, "choose_side", reason, statement=latest[0].id)
    except Refused as refused:
        if refused.code in ("conflict", "not_found", "evidence_unavailable", "validation_error", "forbidden"):
            return ""
        raise
    return filed.proposal


def main(arguments: Sequence[str]) -> int:
    secret = os.environ.get("ANTHILL_AGENT_TOKEN", "")
    if len(arguments) != 1 or not secret:
        sys.stderr.write("Usage: ANTHILL_AGENT_TOKEN=ant_… python -m examples.agent.study ADDRESS-OF-THE-CONSOLE\n")
        return 2
    with KnowledgeClient(arguments[0], secret) as client:
        for each in study(client):
            holds = each.answer is not None and each.answer.holds
            sys.stdout.write(f"{each.mission}: citations {'hold' if holds else 'do not hold'}\n{each.result}\n")
            sys.stdout.write("".join(f"proposed: {key}\n" for key in each.proposals))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
