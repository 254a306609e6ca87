"""Packages read again, held against an answer, and told what became of them; and what was overturned since."""

from knowledge.citations import check_citations
from knowledge.contract import Consumed
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import Reference
from knowledge.tools.arguments import CiteArguments, CorrectionsArguments, OutcomeArguments, PackageArguments
from knowledge.tools.keeping import ADMISSION, Overturned, Package
from knowledge.tools.seat import Answered, Ask
from knowledge.tools.shapes import (
    CitationAnswer,
    CorrectionsAnswer,
    CorrectionShape,
    FindingShape,
    OutcomeAnswer,
    PackageAnswer,
)
from knowledge.tools.standing import UNAVAILABLE, own_package, readable_package, still_readable, verdicts
from knowledge.tools.telling import now

CORRECTIONS = 50
"""Corrections on one page."""
NOT_GROUNDED = "not grounded"


def package_id_of(ask: Ask, reference: str) -> str:
    """The id in a package's address of this project; an address of another names nothing here."""
    prefix, slash, key = reference.rpartition("/")
    return key if not slash or prefix == f"knowledge:{ask.scope.slug}/packages" else ""


def package(ask: Ask, given: PackageArguments) -> Outcome[Answered]:
    """The same bytes as when it was frozen, while all it quotes may be read; else its digests alone."""
    found = own_package(ask, package_id_of(ask, given.package))
    if isinstance(found, Failed):
        return found
    kept = found.value
    stands = still_readable(ask.provider, ask.scope, ask.packages, kept)
    if isinstance(stands, Failed):
        return stands
    is_held = stands.value
    data = PackageAnswer(
        admitted_at=kept.admitted_at,
        view_id=str(kept.manifest["view_id"]),
        abstention=None,
        package=kept.id,
        uri=f"knowledge:{ask.scope.slug}/packages/{kept.id}",
        state="held" if is_held else "evidence_unavailable",
        kind=kept.kind,
        status=kept.status,
        attempt=kept.attempt,
        digest=kept.digest,
        manifest_digest=kept.manifest_digest,
        manifest=dict(kept.manifest) if is_held else {},
        text=(kept.text or "") if is_held else "",
        outcomes=list(kept.outcomes),
    )
    return Ok(Answered(data, text=data.text))


def read_again(ask: Ask, given: PackageArguments) -> Outcome[Answered]:
    """As a resource: the bytes, or nothing but that they may not be given."""
    answered = package(ask, given)
    if isinstance(answered, Failed):
        return answered
    data = answered.value.data
    is_held = isinstance(data, PackageAnswer) and data.state == "held"
    return answered if is_held else UNAVAILABLE


def cite(ask: Ask, given: CiteArguments) -> Outcome[Answered]:
    found = readable_package(ask, package_id_of(ask, given.package))
    if isinstance(found, Failed):
        return found
    kept = found.value
    if kept.context is None:
        return UNAVAILABLE
    report = check_citations(given.answer, kept.context)
    ask.packages.note_citations(kept.id, given.answer, report)
    data = CitationAnswer(
        admitted_at=now(),
        view_id=str(kept.manifest["view_id"]),
        abstention=None,
        package=kept.id,
        holds=report.holds,
        grounding=_grounding(is_grounded=report.holds),
        cited_and_admitted=list(report.cited_and_admitted),
        cited_never_admitted=list(report.cited_never_admitted),
        admitted_uncited=list(report.admitted_uncited),
        unsourced=list(report.unsourced),
        findings=[
            FindingShape(kind=each.kind.value, sentence=each.sentence, what=each.what, cited=list(each.cited))
            for each in report.findings
        ],
    )
    return Ok(Answered(data))


def outcome(ask: Ask, given: OutcomeArguments) -> Outcome[Answered]:
    """A record of its own: what was delivered, what was admitted and what came of it never change one another."""
    found = own_package(ask, package_id_of(ask, given.package))
    if isinstance(found, Failed):
        return found
    kept, told = found.value, Consumed(given.outcome)
    is_grounded = told is Consumed.ANSWERED and _has_evidence(kept)
    ask.packages.note_outcome(kept.id, told, given.raw, grounded=is_grounded)
    data = OutcomeAnswer(
        admitted_at=now(),
        view_id=str(kept.manifest["view_id"]),
        abstention=None,
        package=kept.id,
        status=kept.status,
        outcome=told.value,
        grounding=_grounding(is_grounded=is_grounded) if told is Consumed.ANSWERED else "",
    )
    return Ok(Answered(data))


def corrections(ask: Ask, given: CorrectionsArguments) -> Outcome[Answered]:
    """What was overturned since the cursor, oldest first, each exactly once; of the caller's own packages alone."""
    if given.cursor and not given.cursor.isdigit():
        return Failed(Failure.INVALID, "The cursor is none.", fields=(("cursor", "is not one of ours"),))
    rows = ask.packages.corrections(int(given.cursor or 0), CORRECTIONS)
    told = verdicts(ask, [Reference(each.statement_id) for each in rows]) if rows else Ok(((), ""))
    if isinstance(told, Failed):
        return told
    standing, view = told.value
    successors = {row.id: each.successor for row, each in zip(rows, standing, strict=True)}
    data = CorrectionsAnswer(
        admitted_at=now(),
        view_id=view,
        abstention=None,
        items=[_correction(row, successors[row.id]) for row in rows],
        next_cursor=str(rows[-1].id) if rows else given.cursor,
        more=len(rows) == CORRECTIONS,
    )
    return Ok(Answered(data))


def _correction(row: Overturned, successor: str) -> CorrectionShape:
    """A successor is named only where this caller may read it now; else the statement is simply unavailable."""
    may_name = row.standing == "superseded" and successor == row.successor_id and bool(successor)
    standing = row.standing if row.standing != "superseded" or may_name else "unavailable"
    return CorrectionShape(
        id=str(row.id),
        at=row.at,
        cause=row.cause,
        statement_id=row.statement_id,
        verdict=standing,
        successor=successor if may_name else "",
        packages=list(row.packages),
    )


def _has_evidence(kept: Package) -> bool:
    return bool(kept.quoted) and (kept.kind != ADMISSION or kept.status in ("admitted", "partial"))


def _grounding(*, is_grounded: bool) -> str:
    return "grounded" if is_grounded else NOT_GROUNDED
