"""An agent's proposal, kept once for each conflict as it stood. Nothing of the base changes."""

import secrets
from dataclasses import asdict

from django.db import transaction

from console.audit.actions import record
from console.audit.models import Actor
from console.proposals.models import Proposal, ProposalState
from console.tokens.models import AgentToken
from console.tokens.queries import agent_of
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.tools.working import Filed, Proposed

MARK = "prp_"
MOST_UNDECIDED = 200
"""Of one agent; beyond them people are asked for more than they can read."""
FULL = Failed(Failure.CONFLICT, "Too many proposals wait.", fields=(("conflict", "200 proposals wait for people"),))


def filed_before(token: AgentToken, base_id: str, conflict_id: str, digest: str) -> Filed | None:
    mine = Proposal.objects.filter(agent=agent_of(token), base_id=base_id, conflict_id=conflict_id, digest=digest)
    same = mine.first()
    return _filed(same, is_new=False) if same is not None else None


@transaction.atomic
def file_proposal(*, token: AgentToken, base_id: str, proposed: Proposed) -> Outcome[Filed]:
    agent = agent_of(token)
    AgentToken.objects.select_for_update().filter(pk=agent).first()  # the bound holds also for what comes at once
    mine = Proposal.objects.filter(agent=agent, base_id=base_id)
    if same := filed_before(token, base_id, proposed.conflict_id, proposed.digest):
        return Ok(same)
    if mine.filter(state=ProposalState.OPEN).count() >= MOST_UNDECIDED:
        return FULL
    row, is_new = Proposal.objects.get_or_create(
        agent=agent,
        base_id=base_id,
        conflict_id=proposed.conflict_id,
        digest=proposed.digest,
        defaults={
            **{name: told for name, told in asdict(proposed).items() if name not in ("conflict_id", "digest")},
            "key": MARK + secrets.token_hex(16),
            "project": token.project,
            "token": token,
        },
    )
    if is_new:
        after = {"conflict": row.conflict_id, "ruling": row.ruling, "digest": row.digest, "package": row.package}
        by = Actor(key=f"token:{token.pk}", name=str(token))
        record(by=by, action="proposal.made", target=row.key, project=token.project.slug, after=after)
    return Ok(_filed(row, is_new=is_new))


def _filed(row: Proposal, *, is_new: bool) -> Filed:
    return Filed(row.key, row.state, row.ruling, is_new)
