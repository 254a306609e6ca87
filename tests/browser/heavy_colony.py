# ruff: noqa: E501 - a table of facts reads better on long lines
"""A colony long at work: more of everything than a page shows, with long names and reasons."""

from django.utils import timezone

from console.feed.models import Follower, Receipt
from console.gaps.models import Gap, GapState
from console.missions.models import Action, Attempt, AttemptState, Mission, MissionState
from console.packages.models import Package
from console.projects.models import Project
from console.proposals.models import Proposal, ProposalState
from console.study.models import Decision, Finding, Kind
from console.tokens.models import AgentToken
from knowledge.vocabulary import Band, Support
from tests.browser.heavy import PATH, SENTENCE, UNBROKEN
from tests.console import falcon

MANY = 90
BASE = {"base_id": "proj_falcon"}
ENDED = (MissionState.DONE, MissionState.FAILED, MissionState.CANCELLED)


def heavy_colony(project: Project) -> None:
    tokens = list(AgentToken.objects.order_by("pk")[:30])
    _missions(project, tokens)
    _proposals(project, tokens)
    _feed()
    _findings()
    _gaps(project, tokens)
    _packages(tokens)


def _missions(project: Project, tokens: list[AgentToken]) -> None:
    now = timezone.now()
    Mission.objects.bulk_create(
        Mission(
            key=f"mis_{at:032}", project=project, instance_id="fgi_5d0f27", subject=f"subject {at}", policy="budget-1",
            action=tuple(Action)[at % 2], title=(SENTENCE[:200], f"Study {UNBROKEN[:150]}", "Launch")[at % 3],
            questions=[SENTENCE] * (1 + at % 5), documents=[PATH] * (at % 4), made_by=f"Mara {UNBROKEN[:60]}",
            state=(MissionState.QUEUED, MissionState.CLAIMED, *ENDED)[at % 5], tries=at % 4, fence=at % 4,
            ended_at=now if at % 5 > 1 else None, cause=SENTENCE[:300] if at % 5 == 3 else "",
            calls_budget=2_000, facts_budget=300_000, bytes_budget=1_000_000_000,
            calls_spent=at, facts_spent=at * 1000, bytes_spent=at * 10_000_000, **BASE,
        )
        for at in range(MANY)
    )  # fmt: skip
    claimed = Mission.objects.filter(state=MissionState.CLAIMED)
    Attempt.objects.bulk_create(
        Attempt(
            mission=mission, token=token, agent=1_000 + at, worker=f"{UNBROKEN[:70]} {at}", fence=mission.fence,
            state=AttemptState.WORKING, claimed_at=now, renewed_at=now, lease_until=now,
        )
        for at, (mission, token) in enumerate(zip(claimed, tokens, strict=False))
    )  # fmt: skip


def _proposals(project: Project, tokens: list[AgentToken]) -> None:
    Proposal.objects.bulk_create(
        Proposal(
            key=f"pro_{at:032}", project=project, token=tokens[at % len(tokens)], agent=at, conflict_id=f"cf_h{at % 70:02}",
            digest=falcon.sha(f"h{at % 70}"), ruling="neither", reason=SENTENCE * 3, package=f"pkg_{at:032}",
            state=tuple(ProposalState)[at % 5], decided_by=f"Maria-Magdalena {UNBROKEN[:60]}" if at % 5 else "",
            decided_at=timezone.now() if at % 5 else None, decline_reason=SENTENCE if at % 5 == 3 else "",
            cause=SENTENCE[:300] if at % 5 == 4 else "", **BASE,
        )
        for at in range(MANY)
    )  # fmt: skip


def _feed() -> None:
    now = timezone.now()
    Follower.objects.create(
        instance_id="fgi_5d0f27", generation="gen_3", cursor="c", sequence=48_120_000, read_at=now, caught_up_at=None,
        resynchronised_at=now, resynchronised_why=SENTENCE[:300],
    )  # fmt: skip
    Receipt.objects.bulk_create(
        Receipt(
            instance_id="fgi_5d0f27", generation="gen_3", event_id=f"evt_{at}", type=f"forager.{UNBROKEN[:50].lower()}",
            state=("dead", "applied", "waiting")[at % 3], base_id="proj_falcon", sequence=48_110_000 + at, occurred_at=now,
            digest=f"{at:02x}" * 32, payload="{}", outcome="12,000 packages corrected, 300 gaps closed" if at % 3 == 1 else "",
            cause=SENTENCE[:300] if at % 3 == 0 else "", tries=5,
        )
        for at in range(MANY)
    )  # fmt: skip


def _findings() -> None:
    Finding.objects.bulk_create(
        Finding(
            document_id=f"doc_{at}", content_hash=f"{at:064}", source_id="src_mail", path=(PATH, f"{UNBROKEN}.txt")[at % 2],
            kind=tuple(Kind)[at % 2], statements=at * 997, decision=tuple(Decision)[at % 3],
            decided_by=UNBROKEN[:60] if at % 3 else "", decided_at=timezone.now() if at % 3 else None, **BASE,
        )
        for at in range(MANY)
    )  # fmt: skip


def _gaps(project: Project, tokens: list[AgentToken]) -> None:
    now = timezone.now()
    Gap.objects.bulk_create(
        Gap(
            project=project, digest=f"{at:064}", question=(SENTENCE, UNBROKEN, "Who?")[at % 3][:500], band=Band.TENANT.value,
            floor=Support.DIRECT_FACT.value, code="no_match", count=at * 311, last_at=now, token=tokens[at % len(tokens)],
            asked_revision=10_000, state=tuple(GapState)[at % 3], ended_at=now if at % 3 else None,
            statement_id="ki_10" if at % 3 == 1 else "", dismissed_by=UNBROKEN[:60], reason=SENTENCE[:500], **BASE,
        )
        for at in range(MANY)
    )  # fmt: skip


def _packages(tokens: list[AgentToken]) -> None:
    Package.objects.bulk_create(
        Package(
            key=f"pkg_{at:032}", token=tokens[at % len(tokens)], kind=("retrieve", "search")[at % 2], status="usable",
            digest=f"{at:064}", manifest_digest=f"{at:064}", manifest=b"{}", body=b"", size=at * 99_991,
            statement_count=at, attempt=f"attempt of {UNBROKEN[:100]} {at}", admitted_at="2026-02-27T09:41:00Z",
            standing=("", "corrected")[at % 2], **BASE,
        )
        for at in range(MANY)
    )  # fmt: skip
