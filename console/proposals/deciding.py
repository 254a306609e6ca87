"""What a person makes of a proposal. The engine is asked first; ``applied`` is only ever written on its word."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from console.audit.actions import record
from console.audit.models import Actor
from console.bases.actions import RECORDED, Hand, rule_on_conflict
from console.proposals.models import Proposal, ProposalState
from console.tokens.queries import made_by
from knowledge.failures import Failed, Failure
from knowledge.provider import Decision, QueueFilter
from knowledge.records import Conflict
from knowledge.reviewing import Brief, Ruled
from knowledge.vocabulary import ConflictStatus

UNKNOWN_END = (Failure.TIMEOUT, Failure.UNAVAILABLE, Failure.MALFORMED)
"""After these nobody knows whether the engine recorded it: it stays ``applying`` until the engine is asked again."""
IN_FLIGHT = timedelta(seconds=60)
"""Longer than any call to the engine may take: an older ``applying`` has lost the process that asked."""


class End(StrEnum):
    APPLIED = "applied"
    AWAITING = "awaiting"
    PARTED = "parted"
    OVERTAKEN = "overtaken"
    REFUSED = "refused"
    UNSURE = "unsure"
    OWN = "own"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Decided:
    """``message`` is a sentence for the person, in the engine's words or ours; empty where the end says it all."""

    end: End
    message: str = ""


def may_approve(by: Actor, proposal: Proposal) -> bool:
    """Nobody approves what a token of their own making proposed."""
    return not made_by(proposal.token, key=by.key, name=by.name)


def accept(*, hand: Hand, proposal: Proposal) -> Decided:
    """Has the engine record it, bound to what the agent read, in the name of the person who accepts."""
    if not may_approve(hand.by, proposal):
        hand.note("proposal.refused", proposal.key, OWN_PROPOSAL)
        return Decided(End.OWN)
    if not _begin(hand, proposal):
        return Decided(End.LATE)
    ruled = rule_on_conflict(hand=hand, conflict_id=proposal.conflict_id, decision=decision_of(hand.by, proposal))
    return _ended(hand, proposal, ruled) if isinstance(ruled, Failed) else _recorded(hand, proposal, ruled.value)


@transaction.atomic
def decline(*, by: Actor, proposal: Proposal, reason: str) -> bool:
    """False when it was decided meanwhile."""
    open_one = Proposal.objects.filter(pk=proposal.pk, state=ProposalState.OPEN)
    done = open_one.update(
        state=ProposalState.DECLINED,
        decided_by=by.name,
        decided_by_key=by.key,
        decided_at=timezone.now(),
        decline_reason=reason[:1500],
        cause="",
    )
    if done:
        _note(by, proposal, "proposal.declined", reason=reason[:200])
    return bool(done)


def settle_with(*, hand: Hand, proposal: Proposal, brief: Brief | Failed) -> bool:
    """One that lost the process that asked, or that a ruling came before: what the engine says now decides."""
    if proposal.state == ProposalState.OPEN or _is_lost(proposal, timezone.now()):
        return _settled(hand, proposal, brief)
    return False


def decision_of(by: Actor, proposal: Proposal) -> Decision:
    """The note names the proposal, so that its ruling is known again whatever happens to the console meanwhile."""
    return Decision(
        action=proposal.ruling,
        actor=by.name,
        actor_key=by.key,
        notes=f"{mark_of(proposal)} {proposal.reason}",
        expected_digest=proposal.digest,
        side_id=proposal.side_id,
        discriminator_kind=proposal.told_apart_by,
        discriminator_value=proposal.told_apart,
    )


def mark_of(proposal: Proposal) -> str:
    return f"Proposed by {proposal.token} as {proposal.key}:"


OWN_PROPOSAL = Failed(Failure.FORBIDDEN, "The token that proposed it is of this person's making.")


@transaction.atomic
def _begin(hand: Hand, proposal: Proposal) -> bool:
    open_one = Proposal.objects.filter(pk=proposal.pk, state=ProposalState.OPEN)
    told = {"decided_by": hand.by.name, "decided_by_key": hand.by.key, "decided_at": timezone.now(), "cause": ""}
    begun = open_one.update(state=ProposalState.APPLYING, **told)
    if begun:
        _note(hand.by, proposal, "proposal.accepted", conflict=proposal.conflict_id, digest=proposal.digest)
    return bool(begun)


def _recorded(hand: Hand, proposal: Proposal, ruled: Ruled) -> Decided:
    if ruled.outcome == RECORDED:
        _applied(hand, proposal, ruled.decision_id)
        return Decided(End.APPLIED)
    cause = f"First look by {hand.by.name}; it counts when a second person accepts."
    _open_again(proposal, cause if ruled.outcome == "awaiting" else ruled.message)
    return Decided(End.AWAITING if ruled.outcome == "awaiting" else End.PARTED, ruled.message)


def _ended(hand: Hand, proposal: Proposal, failed: Failed) -> Decided:
    """Refused for sure, or nobody knows; what a ruling came before is recognised, our own one too."""
    if failed.failure in UNKNOWN_END:
        return Decided(End.UNSURE, failed.reason)
    brief = hand.provider.brief(hand.scope, proposal.conflict_id, QueueFilter())
    if isinstance(brief, Failed):
        if brief.failure in UNKNOWN_END:
            return Decided(End.UNSURE, failed.reason)
        _overtaken(hand, proposal, "The conflict no longer stands: its sources changed.")
        return Decided(End.OVERTAKEN)
    _settled(hand, proposal, brief.value, refused=failed.reason)
    proposal.refresh_from_db()
    ends = {ProposalState.APPLIED.value: End.APPLIED, ProposalState.OVERTAKEN.value: End.OVERTAKEN}
    return Decided(ends.get(proposal.state, End.REFUSED), proposal.cause or failed.reason)


def _settled(hand: Hand, proposal: Proposal, brief: Brief | Failed, *, refused: str = "") -> bool:
    if isinstance(brief, Failed):
        if brief.failure is not Failure.NOT_FOUND:
            return False
        _overtaken(hand, proposal, "The conflict no longer stands: its sources changed.")
        return True
    conflict = brief.conflict
    if _is_ours(conflict, proposal):
        _applied(hand, proposal, brief.decision_id)
    elif conflict.status is not ConflictStatus.OPEN:
        _overtaken(hand, proposal, _who_ruled(conflict))
    elif conflict.digest != proposal.digest:
        _overtaken(hand, proposal, "The sides changed after the agent read them.")
    elif proposal.state == ProposalState.OPEN and not refused:
        return False
    else:
        _open_again(proposal, refused or "The engine did not record it. Decide again.")
    return True


def _is_ours(conflict: Conflict, proposal: Proposal) -> bool:
    ruling = conflict.ruling
    return conflict.status is not ConflictStatus.OPEN and ruling is not None and mark_of(proposal) in ruling.notes


def _who_ruled(conflict: Conflict) -> str:
    if conflict.ruling is None:
        return "The conflict is closed: a side is withheld or gone."
    return f"{conflict.ruling.actor} ruled on it meanwhile."


def _is_lost(proposal: Proposal, now: datetime) -> bool:
    at = proposal.decided_at
    return proposal.state == ProposalState.APPLYING and (at is None or at < now - IN_FLIGHT)


@transaction.atomic
def _applied(hand: Hand, proposal: Proposal, decision_id: str) -> None:
    done = Proposal.objects.undecided().filter(pk=proposal.pk)
    if done.update(state=ProposalState.APPLIED, decision_id=decision_id, cause=""):
        _note(hand.by, proposal, "proposal.applied", decision=decision_id, conflict=proposal.conflict_id)


@transaction.atomic
def _overtaken(hand: Hand, proposal: Proposal, cause: str) -> None:
    undecided = Proposal.objects.undecided().filter(pk=proposal.pk)
    if undecided.update(state=ProposalState.OVERTAKEN, cause=cause[:300]):
        _note(hand.by, proposal, "proposal.overtaken", cause=cause[:200])


def _open_again(proposal: Proposal, cause: str) -> None:
    Proposal.objects.filter(pk=proposal.pk, state__in=(ProposalState.APPLYING, ProposalState.OPEN)).update(
        state=ProposalState.OPEN, decided_by="", decided_by_key="", decided_at=None, cause=cause[:300]
    )


def _note(by: Actor, proposal: Proposal, action: str, **after: str) -> None:
    record(by=by, action=action, target=proposal.key, project=proposal.project.slug, after=after)
