"""Who works on what, until when: claimed by one at a time, kept by telling so, taken over when nobody does."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from console.audit.actions import record
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
    try:
        with transaction.atomic():
            return _claim(token, within, key, worker)
    except IntegrityError:  # the same token, or another, was faster; the constraints let one through
        return BUSY


def _claim(token: AgentToken, within: MissionQuerySet, key: str, worker: str) -> Outcome[Claimed | None]:
    now = timezone.now()
    release_overdue(now)
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


def standing(token: AgentToken, mission: Mission, fence: int) -> AttemptQuerySet:
    """The attempt that may still hand in: of this agent, with the latest fence, not ended. None or one."""
    return Attempt.objects.working().filter(
        mission=mission, agent=agent_of(token), fence=fence, mission__fence=fence, mission__state=MissionState.CLAIMED
    )


@transaction.atomic
def release_overdue(now: datetime | None = None) -> int:
    """Missions whose worker fell silent go back into the queue, or fail when they were tried often enough."""
    at, released = now or timezone.now(), 0
    for attempt in Attempt.objects.overdue(at).select_related("mission__project")[:200]:
        if not Attempt.objects.overdue(at).filter(pk=attempt.pk).update(state=AttemptState.LAPSED, ended_at=at):
            continue
        released += 1
        mission = attempt.mission
        is_over = mission.tries >= mission.most_tries
        claimed = Mission.objects.filter(pk=mission.pk, state=MissionState.CLAIMED, fence=attempt.fence)
        if is_over:
            cause = f"{mission.tries} tries ended without a result"
            claimed.update(state=MissionState.FAILED, ended_at=at, cause=cause)
        else:
            claimed.update(state=MissionState.QUEUED)
        record(
            by=SYSTEM,
            action="mission.lapsed",
            target=mission.key,
            project=mission.project.slug,
            after={"fence": attempt.fence, "agent": str(attempt.token_id), "failed": is_over},
        )
    return released
