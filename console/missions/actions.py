"""Missions as people make and cancel them. Each act is one transaction with one audit event."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from django.db import transaction
from django.utils import timezone

from console.audit.actions import record
from console.audit.models import Actor
from console.missions.models import Action, Attempt, AttemptState, Mission, MissionState
from console.projects.models import Project
from knowledge.tools.working import Amount
from knowledge.vocabulary import Band

MARK = "msn_"
POLICY = "missions-1"
"""Changes when what a mission means changes, so that the same work may be queued again under the new rules."""
DEFAULT_BUDGET = Amount(calls=60, facts=300, bytes=1_000_000)
ENDED_BADLY = (MissionState.CANCELLED, MissionState.FAILED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done. ``subject`` from ``asked_of`` or ``document_as_it_is``; ``documents`` are paths."""

    title: str
    action: Action
    subject: str
    questions: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    band: Band = Band.TENANT
    budget: Amount = field(default=DEFAULT_BUDGET)


@dataclass(frozen=True, slots=True)
class Queued:
    """``is_new`` is False where the same was queued, worked on or done before, and nothing was queued again."""

    mission: Mission
    is_new: bool


def asked_of(revision: int, questions: Sequence[str], documents: Sequence[str] = ()) -> str:
    """Questions about a revision; the same words in other white space or case are the same."""
    folded = [[" ".join(each.casefold().split()) for each in questions], sorted(documents)]
    told = json.dumps(folded, ensure_ascii=True)
    return f"rev:{revision}:{hashlib.sha256(told.encode()).hexdigest()}"


def document_as_it_is(content_hash: str) -> str:
    return f"doc:{content_hash}"


@transaction.atomic
def queue_mission(*, by: Actor, project: Project, instance_id: str, base_id: str, wanted: Wanted) -> Queued:
    """Once for each subject and action of a base under one policy; one that failed or was cancelled is queued anew."""
    facts = {
        "title": wanted.title,
        "questions": list(wanted.questions),
        "documents": list(wanted.documents),
        "band": wanted.band.value,
        **{f"{name}_budget": number for name, number in asdict(wanted.budget).items()},
    }
    mission, is_made = Mission.objects.get_or_create(
        project=project,
        instance_id=instance_id,
        base_id=base_id,
        subject=wanted.subject,
        action=wanted.action,
        policy=POLICY,
        defaults={"key": MARK + secrets.token_hex(16), "made_by": by.name, **facts},
    )
    if not is_made and not _again(mission, by, facts):
        return Queued(mission, is_new=False)
    mission.refresh_from_db()
    action = "mission.made" if is_made else "mission.made_again"
    after = {"action": wanted.action.value, "subject": wanted.subject, **asdict(wanted.budget)}
    record(by=by, action=action, target=mission.key, project=project.slug, after=after)
    return Queued(mission, is_new=True)


@transaction.atomic
def cancel_mission(*, by: Actor, mission: Mission) -> bool:
    """False when it ended before; whoever works on it can hand nothing in any more."""
    live = Mission.objects.filter(pk=mission.pk, state__in=(MissionState.QUEUED, MissionState.CLAIMED))
    now = timezone.now()
    if not live.update(state=MissionState.CANCELLED, ended_at=now, cause=f"cancelled by {by.name}"[:300]):
        return False
    working = Attempt.objects.filter(mission=mission).working()
    stopped = working.update(state=AttemptState.CANCELLED, ended_at=now)
    record(
        by=by,
        action="mission.cancelled",
        target=mission.key,
        project=mission.project.slug,
        after={"was_worked_on": bool(stopped)},
    )
    return True


def _again(mission: Mission, by: Actor, facts: dict[str, object]) -> bool:
    fresh = {"calls_spent": 0, "facts_spent": 0, "bytes_spent": 0, "tries": 0, "ended_at": None, "cause": ""}
    ended = Mission.objects.filter(pk=mission.pk, state__in=ENDED_BADLY)
    return bool(ended.update(state=MissionState.QUEUED, made_by=by.name, **fresh, **facts))
