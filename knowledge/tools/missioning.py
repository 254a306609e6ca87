"""Missions as tools: what may be claimed, claimed for a time, kept, and finished with a result held to its packages."""

from dataclasses import asdict

from knowledge.citations import Report, check_citations
from knowledge.context.join import joined
from knowledge.failures import Failed, Ok, Outcome
from knowledge.tools.keeping import Package
from knowledge.tools.packaging import NOT_GROUNDED, package_id_of
from knowledge.tools.seat import Answered, Ask
from knowledge.tools.shapes import FindingShape
from knowledge.tools.standing import readable_package
from knowledge.tools.tasks import (
    AmountShape,
    ClaimAnswer,
    ClaimArguments,
    FinishAnswer,
    FinishArguments,
    MissionsAnswer,
    MissionsArguments,
    MissionShape,
    RenewArguments,
)
from knowledge.tools.telling import now
from knowledge.tools.working import Handed, Lease, Task

NO_VIEW = ""
"""No base was read."""


def missions(ask: Ask, given: MissionsArguments) -> Outcome[Answered]:
    items = [_task(each) for each in list(ask.work.claimable())[: given.limit]]
    return Ok(Answered(MissionsAnswer(admitted_at=now(), view_id=NO_VIEW, abstention=None, items=items)))


def claim(ask: Ask, given: ClaimArguments) -> Outcome[Answered]:
    found = ask.work.claim(given.mission, given.worker)
    return found if isinstance(found, Failed) else Ok(_leased(found.value))


def renew(ask: Ask, given: RenewArguments) -> Outcome[Answered]:
    found = ask.work.renew(given.mission, given.fence)
    return found if isinstance(found, Failed) else Ok(_leased(found.value))


def finish(ask: Ask, given: FinishArguments) -> Outcome[Answered]:
    """A package that is unknown, or that may not be read any more, keeps all of it from being handed in."""
    kept: list[Package] = []
    for reference in dict.fromkeys(given.packages):
        found = readable_package(ask, package_id_of(ask, reference))
        if isinstance(found, Failed):
            return found
        kept.append(found.value)
    contexts = [each.context for each in kept if each.context is not None]
    report = check_citations(given.result, joined(contexts)) if contexts else None
    packages = tuple(each.id for each in kept)
    handed = Handed(given.mission, given.fence, given.outcome, given.result, packages, report)
    state = ask.work.finish(handed)
    return state if isinstance(state, Failed) else Ok(Answered(_finished(handed, state.value, report)))


def _finished(handed: Handed, state: str, report: Report | None) -> FinishAnswer:
    return FinishAnswer(
        admitted_at=now(),
        view_id=NO_VIEW,
        abstention=None,
        mission=handed.mission,
        state=state,
        grounding="grounded" if report is not None and report.holds else NOT_GROUNDED,
        holds=report is not None and report.holds,
        cited_and_admitted=list(report.cited_and_admitted) if report else [],
        cited_never_admitted=list(report.cited_never_admitted) if report else [],
        unsourced=list(report.unsourced) if report else [],
        findings=[
            FindingShape(kind=each.kind.value, sentence=each.sentence, what=each.what, cited=list(each.cited))
            for each in (report.findings if report else ())
        ],
    )


def _leased(lease: Lease | None) -> Answered:
    data = ClaimAnswer(
        admitted_at=now(),
        view_id=NO_VIEW,
        abstention=None,
        mission=_task(lease.task) if lease else None,
        fence=lease.fence if lease else 0,
        lease_until=lease.until if lease else "",
        lease_seconds=lease.seconds if lease else 0,
    )
    return Answered(data)


def _task(task: Task) -> MissionShape:
    return MissionShape(
        id=task.id,
        title=task.title,
        action=task.action,
        questions=list(task.questions),
        documents=list(task.documents),
        state=task.state,
        budget=AmountShape(**asdict(task.budget)),
        spent=AmountShape(**asdict(task.spent)),
        tries_left=task.tries_left,
    )
