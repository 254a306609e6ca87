"""Whether what was handed out once still stands, for this caller, now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import Literal

from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider, Reference
from knowledge.records import Statement
from knowledge.scope import KnowledgeScope
from knowledge.tools.keeping import Package, Packages, Quoted
from knowledge.tools.seat import Ask
from knowledge.vocabulary import Band, Status

type Word = Literal["holds", "contested", "superseded", "unavailable"]

AT_ONCE = 200
"""References the engine checks in one call."""
NOBODY = "unknown"
"""Asked for in place of what names nothing here, so that every call takes the same way."""
GONE_STATES = frozenset(("deleted", "revoked"))
UNKNOWN_PACKAGE = Failed(Failure.NOT_FOUND, "The package is unknown or of somebody else; a caller cannot tell which.")
UNAVAILABLE = Failed(Failure.EVIDENCE_UNAVAILABLE, "Something the package quotes is gone, withheld or not to be read.")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``successor`` is set for what was superseded, and only where the caller may read it now."""

    word: Word
    successor: str = ""


def verdicts(ask: Ask, references: Sequence[Reference]) -> Outcome[tuple[tuple[Verdict, ...], str]]:
    """One for each reference, in order, and the view. A statement below the floor is as gone as an unknown one."""
    checked = checked_now(ask.provider, ask.scope, references)
    if isinstance(checked, Failed):
        return checked
    is_ok, view = checked.value
    known = _shown(ask, [reference.statement_id for reference in references])
    if isinstance(known, Failed):
        return known
    later = _shown(ask, [s.superseded_by for s in known.value.values() if s.superseded_by])
    if isinstance(later, Failed):
        return later
    return Ok((_verdicts(references, is_ok, known.value, later.value), view))


def standing_of(
    ask: Ask, package: Package, references: Sequence[Reference]
) -> Outcome[tuple[bool, tuple[Verdict, ...]]]:
    """What ``still_readable`` and ``verdicts`` say, from one read of the engine for every 200 references."""
    is_ok: list[bool] = []
    known: dict[str, Statement] = {}
    later: dict[str, Statement] = {}
    states: dict[str, str] = {}
    for some in batched(references, AT_ONCE):
        read = ask.provider.standing(ask.scope, some)
        if isinstance(read, Failed):
            return read
        is_ok += [each.is_ok for each in read.value.items]
        known |= {each.id: each for each in read.value.statements if ask.shows(each, ask.floor)}
        later |= {each.id: each for each in read.value.successors if ask.shows(each, ask.floor)}
        states |= {each.id: each.state for each in read.value.sources}
    is_held = package.text is not None and all(is_ok)
    if package.text is not None and not is_held:
        lost = [one.source_id for one, ok in zip(references, is_ok, strict=True) if not ok and one.source_id]
        if gone := next((each for each in lost if states.get(each, "deleted") in GONE_STATES), ""):
            ask.packages.purge(package.id, f"source {gone} is gone")
    return Ok((is_held, _verdicts(references, is_ok, known, later)))


def _verdicts(
    references: Sequence[Reference], is_ok: Sequence[bool], known: dict[str, Statement], later: dict[str, Statement]
) -> tuple[Verdict, ...]:
    return tuple(
        _verdict(known.get(reference.statement_id), later, ok=ok)
        for reference, ok in zip(references, is_ok, strict=True)
    )


def checked_now(
    provider: KnowledgeProvider, scope: KnowledgeScope, references: Sequence[Reference], *, historical: bool = False
) -> Outcome[tuple[tuple[bool, ...], str]]:
    is_ok: list[bool] = []
    view = ""
    for some in batched(references, AT_ONCE):
        checked = provider.check_references(scope, some, include_historical=historical)
        if isinstance(checked, Failed):
            return checked
        is_ok += [each.is_ok for each in checked.value.items]
        view = checked.value.view_id
    return Ok((tuple(is_ok), view))


def reference_of(quoted: Quoted) -> Reference:
    span = (quoted.start, quoted.end) if quoted.evidence_id else None
    return Reference(
        quoted.statement_id, quoted.evidence_id, quoted.source_id, quoted.version, quoted.excerpt_hash, span=span
    )


def own_package(ask: Ask, package_id: str) -> Outcome[Package]:
    """Found and the caller's own are one step."""
    found = ask.packages.find(package_id)
    return UNKNOWN_PACKAGE if found is None else Ok(found)


def readable_package(ask: Ask, package_id: str) -> Outcome[Package]:
    """One of the caller's own with its text; ``evidence_unavailable`` when that may not be given now."""
    found = own_package(ask, package_id)
    if isinstance(found, Failed):
        return found
    stands = still_readable(ask.provider, ask.scope, ask.packages, found.value)
    if isinstance(stands, Failed):
        return stands
    return found if stands.value else UNAVAILABLE


def still_readable(
    provider: KnowledgeProvider, scope: KnowledgeScope, packages: Packages, package: Package
) -> Outcome[bool]:
    """Whether all it quotes may be read now, past statements too. What is gone for good purges it on the way."""
    if package.text is None:
        return Ok(value=False)
    checked = checked_now(provider, scope, [reference_of(each) for each in package.quoted], historical=True)
    if isinstance(checked, Failed):
        return checked
    is_ok, _view = checked.value
    if all(is_ok):
        return Ok(value=True)
    lost = [each.source_id for each, ok in zip(package.quoted, is_ok, strict=True) if not ok and each.source_id]
    if gone := _gone(provider, replace(scope, ceiling=Band.TENANT), dict.fromkeys(lost)):
        packages.purge(package.id, f"source {gone} is gone")
    return Ok(value=False)


def _gone(provider: KnowledgeProvider, scope: KnowledgeScope, source_ids: Iterable[str]) -> str:
    """The first source that was deleted or revoked, empty when none was."""
    for source_id in source_ids:
        found = provider.source(scope, source_id)
        if isinstance(found, Failed):
            if found.failure is Failure.NOT_FOUND:
                return source_id
        elif found.value.state in GONE_STATES:
            return source_id
    return ""


def _shown(ask: Ask, ids: Iterable[str]) -> Outcome[dict[str, Statement]]:
    wanted = list(dict.fromkeys(ids))
    page = ask.provider.statements_by_id(ask.scope, wanted or [NOBODY])
    if isinstance(page, Failed):
        return page
    return Ok({each.id: each for each in page.value.items if ask.shows(each, ask.floor)})


def _verdict(statement: Statement | None, later: dict[str, Statement], *, ok: bool) -> Verdict:
    if statement is None:
        return Verdict("unavailable")
    if statement.status is Status.SUPERSEDED:
        successor = later.get(statement.superseded_by or "")
        return Verdict("superseded", successor.id) if successor else Verdict("unavailable")
    if not ok or statement.status is Status.ARCHIVED:
        return Verdict("unavailable")
    return Verdict("contested" if statement.status is Status.DISPUTED else "holds")
