"""Reading proposals: of a project on the base it reads, never of another."""

from django.db.models import Count

from console.projects.models import Project
from console.proposals.models import Proposal, ProposalQuerySet, ProposalState

OPEN = (ProposalState.OPEN, ProposalState.APPLYING)


def proposals_of(project: Project, base_id: str, *, is_open: bool) -> ProposalQuerySet:
    """Those that wait, oldest first; those that are decided, latest first."""
    rows = Proposal.objects.of(project, base_id).select_related("token", "project")
    waiting = rows.undecided().order_by("pk")
    return waiting if is_open else rows.exclude(state__in=OPEN).order_by("-decided_at", "-pk")


def proposal_counts(project: Project, base_id: str) -> tuple[int, int]:
    """(waiting, decided)."""
    counted = Proposal.objects.of(project, base_id).order_by().values_list("state").annotate(number=Count("pk"))
    by_state = dict(counted)
    waiting = sum(by_state.get(state, 0) for state in OPEN)
    return waiting, sum(by_state.values()) - waiting


def find_proposal(project: Project, base_id: str, key: str) -> Proposal | None:
    rows = Proposal.objects.of(project, base_id).select_related("token", "project")
    return rows.filter(key=key).first()
