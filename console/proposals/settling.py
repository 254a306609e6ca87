"""Proposals whose engine was asked and whose asker was lost: what the engine says now decides, without a person."""

from datetime import timedelta

import structlog
from django.utils import timezone

from console.audit.models import Actor
from console.bases.actions import Hand
from console.projects.scopes import whole_scope
from console.proposals.deciding import IN_FLIGHT, settle_with
from console.proposals.models import Proposal, ProposalState
from knowledge.failures import Failed, Ok
from knowledge.provider import KnowledgeProvider, QueueFilter

log = structlog.get_logger("console.proposals")

SYSTEM = Actor(key="system:proposals", name="Proposals")
AT_ONCE = 50
LONG = timedelta(minutes=10)


def settle_lost(provider: KnowledgeProvider) -> int:
    """How many were settled. One the engine cannot be asked about stays as it is, for the next pass."""
    before = timezone.now() - IN_FLIGHT
    lost = Proposal.objects.filter(state=ProposalState.APPLYING, decided_at__lt=before).order_by("decided_at")
    settled = 0
    for each in lost.select_related("project", "token")[:AT_ONCE]:
        hand = Hand(by=SYSTEM, project=each.project, scope=whole_scope(each.base_id), provider=provider)
        found = provider.brief(hand.scope, each.conflict_id, QueueFilter())
        done = settle_with(hand=hand, proposal=each, brief=found.value if isinstance(found, Ok) else found)
        settled += done
        if not done and each.decided_at is not None and each.decided_at < timezone.now() - LONG:
            why = found.failure.value if isinstance(found, Failed) else "undecided"
            log.warning("proposals.unsettled", proposal=each.key, why=why)
    return settled
