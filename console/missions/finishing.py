"""A result, handed in once: by the claim that stands, with its packages and its citation check."""

import hashlib

from django.db import transaction
from django.utils import timezone

from console.audit.actions import Facts, record
from console.missions.leasing import LATE, by_token, lock, standing
from console.missions.models import Attempt, AttemptState, Mission, MissionState, Result
from console.packages.models import Package
from console.tokens.models import AgentToken
from console.tokens.queries import agent_of, lineage
from knowledge.citations import Report
from knowledge.failures import Ok, Outcome
from knowledge.tools.working import Handed

FINDINGS_KEPT = 100


@transaction.atomic
def finish(*, token: AgentToken, mission: Mission, handed: Handed) -> Outcome[str]:
    """The state the mission is in then. The same result once more, of a lost answer, is told as it was."""
    digest = hashlib.sha256(handed.result.encode("utf-8", "surrogatepass")).hexdigest()
    now = timezone.now()
    lock(mission)
    attempt = standing(token, mission, handed.fence).first()
    if attempt is None:
        return _told_before(token, mission, handed, digest)
    state = AttemptState.DONE if handed.outcome == "done" else AttemptState.FAILED
    Attempt.objects.filter(pk=attempt.pk).update(state=state, ended_at=now)
    ends = {"state": MissionState(state.value), "ended_at": now, "cause": ""}
    Mission.objects.filter(pk=mission.pk, state=MissionState.CLAIMED, fence=handed.fence).update(**ends)
    checked = _checked(handed.report)
    row = Result.objects.create(
        mission=mission, attempt=attempt, outcome=handed.outcome, text=handed.result, text_digest=digest, **checked
    )
    row.packages.set(Package.objects.of_tokens(lineage(token)).filter(key__in=handed.packages))
    after: Facts = {"outcome": handed.outcome, "fence": handed.fence, "packages": len(handed.packages)}
    record(by=by_token(token), action="mission.finished", target=mission.key, project=mission.project.slug, after=after)
    return Ok(state.value)


def _told_before(token: AgentToken, mission: Mission, handed: Handed, digest: str) -> Outcome[str]:
    same = Result.objects.filter(
        mission=mission,
        attempt__agent=agent_of(token),
        attempt__fence=handed.fence,
        outcome=handed.outcome,
        text_digest=digest,
    )
    return Ok(handed.outcome) if same.exists() else LATE


def _checked(report: Report | None) -> dict[str, object]:
    if report is None:
        return {}
    return {
        "is_checked": True,
        "holds": report.holds,
        "cited": len(report.cited_and_admitted),
        "finding_count": len(report.findings),
        "findings": [
            {"kind": each.kind.value, "sentence": each.sentence, "what": each.what, "cited": list(each.cited)}
            for each in report.findings[:FINDINGS_KEPT]
        ],
    }
