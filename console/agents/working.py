"""What an agent works on, found by its token alone: missions of its project and base, and rulings it proposes."""

from collections.abc import Callable, Sequence

from console.missions import budget, finishing, leasing
from console.missions.models import Mission, MissionQuerySet, MissionState
from console.proposals.filing import file_proposal, filed_before
from console.tokens.models import AgentToken
from knowledge.failures import Failed, Ok, Outcome
from knowledge.scope import KnowledgeScope, Unresolved
from knowledge.tools.working import Amount, Filed, Handed, Lease, Proposed, Task

SHOWN = 100


class TokenWork:
    """``scope`` is asked at every use: a mission of a base bound before, or of another band, is as good as unknown."""

    def __init__(self, token: AgentToken, scope: Callable[[], KnowledgeScope | Unresolved]) -> None:
        self._token = token
        self._scope = scope

    def charge_call(self) -> str | Failed:
        return budget.charge_call(self._token)

    def charge_answer(self, mission: str, *, facts: int, size: int) -> Failed | None:
        return budget.charge_answer(mission, facts=facts, size=size)

    def claimable(self) -> Sequence[Task]:
        leasing.release_overdue()
        rows = self._mine().filter(state=MissionState.QUEUED).order_by("pk")
        return [task_of(each) for each in rows[:SHOWN]]

    def claim(self, mission: str, worker: str) -> Outcome[Lease | None]:
        claimed = leasing.claim(token=self._token, within=self._mine(), key=mission, worker=worker)
        if isinstance(claimed, Failed):
            return claimed
        return Ok(_lease(claimed.value) if claimed.value is not None else None)

    def renew(self, mission: str, fence: int) -> Outcome[Lease]:
        found = self._mine().filter(key=mission).first()
        if found is None:
            return leasing.UNKNOWN
        renewed = leasing.renew(token=self._token, mission=found, fence=fence)
        return renewed if isinstance(renewed, Failed) else Ok(_lease(renewed.value))

    def finish(self, handed: Handed) -> Outcome[str]:
        found = self._mine().filter(key=handed.mission).first()
        if found is None:
            return leasing.UNKNOWN
        return finishing.finish(token=self._token, mission=found, handed=handed)

    def proposed(self, conflict_id: str, digest: str) -> Filed | None:
        return filed_before(self._token, self._base_id, conflict_id, digest)

    def propose(self, proposed: Proposed) -> Outcome[Filed]:
        return file_proposal(token=self._token, base_id=self._base_id, proposed=proposed)

    @property
    def _base_id(self) -> str:
        scope = self._scope()
        return scope.base_id if isinstance(scope, KnowledgeScope) else ""

    def _mine(self) -> MissionQuerySet:
        scope = self._scope()
        rows = Mission.objects.select_related("project")
        if isinstance(scope, Unresolved):
            return rows.none()
        return rows.of(self._token.project, scope.base_id).for_band(scope.ceiling)


def task_of(row: Mission) -> Task:
    return Task(
        id=row.key,
        title=row.title,
        action=row.action,
        questions=tuple(row.questions),
        documents=tuple(row.documents),
        state=row.state,
        budget=Amount(row.calls_budget, row.facts_budget, row.bytes_budget),
        spent=Amount(row.calls_spent, row.facts_spent, row.bytes_spent),
        tries_left=max(0, row.most_tries - row.tries),
    )


def _lease(claimed: leasing.Claimed) -> Lease:
    until = claimed.attempt.lease_until.isoformat(timespec="seconds").replace("+00:00", "Z")
    seconds = int(leasing.LEASE.total_seconds())
    return Lease(task_of(claimed.mission), claimed.attempt.fence, until, seconds)
