"""Who works on what, until when: claimed by one at a time, kept by telling so, taken over when nobody does."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from console.audit.actions import Facts, record
from console.audit.models import Actor
from console.missions.models import Attempt, AttemptQuerySet, AttemptState, Mission, MissionQuerySet, MissionState
from console.tokens.models import AgentToken
from console.tokens.queries import agent_of
from knowledge.failures import Failed, Failure, Ok, Outcome

LEASE = timedelta(minutes=5)
SYSTEM = Actor(key="system:missions", name="Missions")
UNKNOWN = Failed(Failure.NOT_FOUND, "The mission is unknown, foreign or hidden; a caller cannot tell which.")
TAKEN = Failed(Failure.CONFLICT, "It is worked on or has ended.", fields=(("mission", "cannot be claimed now"),))
BUSY = Failed(
    Failure.CONFLICT,
    "The token works on another mission.",
    fields=(("mission", "another one is worked on with this token; finish it first"),),
)
LATE = Failed(
    Failure.CONFLICT,
    "The claim is not the latest, or it has ended.",
    fields=(("fence", "is not that of the claim that stands"),),
)


@dataclass(frozen=True, slots=True)
class Claimed:
    mission: Mission
    attempt: Attempt


def by_token(token: AgentToken) -> Actor:
    return Actor(key=f"token:{token.pk}", name=str(token))


def claim(*, token: AgentToken, within: MissionQuerySet, key: str, worker: str) -> Outcome[Claimed | None]:
    """One of ``within``, the oldest where ``key`` is empty. Two who ask at once never get the same."""
    release_overdue()
    try:
        with transaction.atomic():
            return _claim(token, within, key, worker)
    except IntegrityError:  # the same token, or another, was faster; the constraints let one through
        return BUSY


def _claim(token: AgentToken, within: MissionQuerySet, key: str, worker: str) -> Outcome[Claimed | None]:
    now = timezone.now()
    held = Attempt.objects.working().filter(agent=agent_of(token)).select_related("mission").first()
    if held is not None:
        is_same = bool(worker) and held.worker == worker and key in ("", held.mission.key)
        is_mine = within.filter(pk=held.mission_id).exists()
        return Ok(Claimed(held.mission, held)) if is_same and is_mine else BUSY
    if key and not within.filter(key=key).exists():
        return UNKNOWN
    queued = within.filter(state=MissionState.QUEUED)
    for pk in (queued.filter(key=key) if key else queued).order_by("pk").values_list("pk", flat=True)[:10]:
        if taken := _take(token, pk, worker, now):
            return Ok(taken)
    return TAKEN if key else Ok(None)


def _take(token: AgentToken, pk: int, worker: str, now: datetime) -> Claimed | None:
    free = Mission.objects.filter(pk=pk, state=MissionState.QUEUED)
    if not free.update(state=MissionState.CLAIMED, fence=F("fence") + 1, tries=F("tries") + 1):
        return None
    mission = Mission.objects.select_related("project").get(pk=pk)
    attempt = Attempt.objects.create(
        mission=mission,
        token=token,
        agent=agent_of(token),
        worker=worker,
        fence=mission.fence,
        claimed_at=now,
        renewed_at=now,
        lease_until=now + LEASE,
    )
    after = {"fence": mission.fence, "try": mission.tries}
    record(by=by_token(token), action="mission.claimed", target=mission.key, project=mission.project.slug, after=after)
    return Claimed(mission, attempt)


@transaction.atomic
def renew(*, token: AgentToken, mission: Mission, fence: int) -> Outcome[Claimed]:
    """While nobody took it over; a claim whose time ran out unnoticed goes on."""
    lock(mission)
    now = timezone.now()
    mine = standing(token, mission, fence)
    if not mine.update(renewed_at=now, lease_until=now + LEASE):
        return LATE
    return Ok(Claimed(mission, mine.get()))


def mission_of(token: AgentToken) -> Mission | None:
    """What the agent works on now; a claim whose time ran out binds its reading no more."""
    working = Attempt.objects.working().filter(agent=agent_of(token), lease_until__gt=timezone.now())
    found = working.filter(mission__state=MissionState.CLAIMED).select_related("mission").first()
    return found.mission if found is not None else None


def lock(mission: Mission) -> None:
    """To the end of the transaction: only who holds it ends a try. A condition on the mission beside the row of the try
    is no guard, as a database that waited for the row looks at the row alone once more."""
    Mission.objects.select_for_update().filter(pk=mission.pk).first()


def standing(token: AgentToken, mission: Mission, fence: int) -> AttemptQuerySet:
    """The attempt that may still hand in: of this agent, with the latest fence, not ended. None or one."""
    return Attempt.objects.working().filter(
        mission=mission, agent=agent_of(token), fence=fence, mission__fence=fence, mission__state=MissionState.CLAIMED
    )


def release_overdue(now: datetime | None = None) -> int:
    """Missions whose worker fell silent go back into the queue, or fail when they were tried often enough."""
    at = now or timezone.now()
    overdue = Attempt.objects.overdue(at).select_related("mission__project")[:200]
    return sum(_released(attempt, at) for attempt in overdue)


@transaction.atomic
def _released(attempt: Attempt, at: datetime) -> bool:
    mission = attempt.mission
    lock(mission)
    if not Attempt.objects.overdue(at).filter(pk=attempt.pk).update(state=AttemptState.LAPSED, ended_at=at):
        return False
    is_over = mission.tries >= mission.most_tries
    claimed = Mission.objects.filter(pk=mission.pk, state=MissionState.CLAIMED, fence=attempt.fence)
    if is_over:
        claimed.update(state=MissionState.FAILED, ended_at=at, cause=f"{mission.tries} tries ended without a result")
    else:
        claimed.update(state=MissionState.QUEUED)
    after: Facts = {"fence": attempt.fence, "agent": str(attempt.token_id), "failed": is_over}
    record(by=SYSTEM, action="mission.lapsed", target=mission.key, project=mission.project.slug, after=after)
    return True
