"""One statement opened: its evidence, what contests it, what it was before; and whether held ones still stand."""

from knowledge.context.provenance import usable_evidence
from knowledge.context.whole import Whole, read_whole
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import Reference, StatementFilter
from knowledge.records import PastVersion, Statement
from knowledge.tools.abstaining import judged
from knowledge.tools.arguments import (
    CheckArguments,
    EvidenceArguments,
    GetArguments,
    Held,
    HistoryArguments,
    ListArguments,
)
from knowledge.tools.keeping import Package
from knowledge.tools.packaging import package_id_of
from knowledge.tools.seat import Answered, Ask
from knowledge.tools.shapes import (
    CheckAnswer,
    CheckedShape,
    EvidenceAnswer,
    GetAnswer,
    HistoryAnswer,
    ListAnswer,
    PastShape,
)
from knowledge.tools.standing import NOBODY, Verdict, own_package, reference_of, verdicts
from knowledge.tools.telling import (
    conflict_shape,
    contested_in,
    evidence_shape,
    now,
    past_shape,
    statement_shape,
    told_contested,
)
from knowledge.vocabulary import Status

LISTED = 50
"""Statements on one page of the list."""
UNKNOWN = Failed(Failure.NOT_FOUND, "The statement is unknown, foreign, hidden or gone; a caller cannot tell which.")
EITHER = "Give either references or a package."
HIDDEN = frozenset((Status.WITHHELD, Status.ARCHIVED))


def get(ask: Ask, given: GetArguments) -> Outcome[Answered]:
    opened = _open(ask, given.statement)
    if isinstance(opened, Failed):
        return opened
    statement, whole = opened.value
    shown = {key: s for key, s in whole.statements.items() if ask.shows(s, ask.floor)}
    history = _history(ask, statement) if given.history else Ok([])
    if isinstance(history, Failed):
        return history
    contested = contested_in(whole)
    mine = [conflict for conflict in whole.conflicts if statement.id in conflict.statement_ids]
    data = GetAnswer(
        admitted_at=now(),
        view_id=whole.view_id,
        abstention=judged([statement], contested),
        statement=statement_shape(statement, ask.scope, contested, shown),
        evidence=[evidence_shape(piece) for piece in usable_evidence(statement)],
        conflicts=[conflict_shape(conflict, ask.scope, shown, contested) for conflict in mine],
        history=history.value,
    )
    competing = [each.id for conflict in data.conflicts for each in conflict.competing]
    served = tuple(dict.fromkeys([statement.id, *competing]))
    return Ok(Answered(data, served, abstained=data.abstention.code if data.abstention else ""))


def listed(ask: Ask, given: ListArguments) -> Outcome[Answered]:
    """Statements in the engine's stable order; a page may show fewer than it holds, down to none."""
    found = ask.provider.statements(ask.scope, StatementFilter(cursor=given.cursor, page_size=LISTED))
    if isinstance(found, Failed):
        return found
    shown = [statement for statement in found.value.items if ask.shows(statement, ask.floor)]
    contested = told_contested(shown)
    data = ListAnswer(
        admitted_at=now(),
        view_id=found.value.view_id,
        abstention=None,
        items=[statement_shape(statement, ask.scope, contested) for statement in shown],
        next_cursor=found.value.next_cursor or "",
    )
    candidates = len(found.value.items)
    return Ok(Answered(data, tuple(s.id for s in shown), candidates=candidates, dropped=candidates - len(shown)))


def evidence(ask: Ask, given: EvidenceArguments) -> Outcome[Answered]:
    opened = _open(ask, given.statement)
    if isinstance(opened, Failed):
        return opened
    statement, whole = opened.value
    found = judged([statement], contested_in(whole))
    pieces = [evidence_shape(piece) for piece in usable_evidence(statement)]
    data = EvidenceAnswer(
        admitted_at=now(), view_id=whole.view_id, abstention=found, statement_id=statement.id, evidence=pieces
    )
    return Ok(Answered(data, (statement.id,), abstained=found.code if found else ""))


def check(ask: Ask, given: CheckArguments) -> Outcome[Answered]:
    """Of references or of a whole package; why something is unavailable is never told."""
    if bool(given.references) == bool(given.package):
        return Failed(Failure.INVALID, "Either references or a package.", fields=(("references", EITHER),))
    if given.package:
        found = own_package(ask, package_id_of(ask, given.package))
        return found if isinstance(found, Failed) else _checked_package(ask, found.value)
    ids = [own_id(ask, held.statement) for held in given.references]
    wanted = [_reference(key or NOBODY, held) for key, held in zip(ids, given.references, strict=True)]
    told = verdicts(ask, wanted)
    if isinstance(told, Failed):
        return told
    named = [key or held.statement for key, held in zip(ids, given.references, strict=True)]
    items = [_checked(name, verdict) for name, verdict in zip(named, told.value[0], strict=True)]
    view = told.value[1]
    data = CheckAnswer(admitted_at=now(), view_id=view, abstention=None, package="", digest="", items=items)
    return Ok(Answered(data))


def _checked_package(ask: Ask, kept: Package) -> Outcome[Answered]:
    """One verdict a statement: a single quoted place that is gone takes it down."""
    told = verdicts(ask, [reference_of(each) for each in kept.quoted])
    if isinstance(told, Failed):
        return told
    standing: dict[str, Verdict] = {}
    for quoted, verdict in zip(kept.quoted, told.value[0], strict=True):
        known = standing.setdefault(quoted.statement_id, verdict)
        standing[quoted.statement_id] = verdict if verdict.word == "unavailable" else known
    items = [_checked(key, verdict) for key, verdict in standing.items()]
    data = CheckAnswer(
        admitted_at=now(), view_id=told.value[1], abstention=None, package=kept.id, digest=kept.digest, items=items
    )
    return Ok(Answered(data))


def _checked(statement_id: str, verdict: Verdict) -> CheckedShape:
    return CheckedShape(statement_id=statement_id, verdict=verdict.word, successor=verdict.successor)


def history(ask: Ask, given: HistoryArguments) -> Outcome[Answered]:
    """Every version this caller may read, oldest first, and why each ended."""
    opened = _open(ask, given.statement)
    if isinstance(opened, Failed):
        return opened
    statement, whole = opened.value
    past = _history(ask, statement)
    if isinstance(past, Failed):
        return past
    found = judged([statement], contested_in(whole))
    data = HistoryAnswer(
        admitted_at=now(), view_id=whole.view_id, abstention=found, statement_id=statement.id, items=past.value
    )
    return Ok(Answered(data, (statement.id,), abstained=found.code if found else ""))


def _open(ask: Ask, reference: str) -> Outcome[tuple[Statement, Whole]]:
    """Found, in this scope and allowed are one step, by one path, whatever the answer is."""
    key = own_id(ask, reference)
    page = ask.provider.statements_by_id(ask.scope, [key or NOBODY])
    if isinstance(page, Failed):
        return page
    statement = next((each for each in page.value.items if each.id == key), None)
    if statement is None or not ask.shows(statement, ask.floor):
        return UNKNOWN
    whole = read_whole(ask.provider, ask.scope, [statement])
    if isinstance(whole, Failed):
        return whole
    read = whole.value.statements.get(statement.id)
    return Ok((read, whole.value)) if read is not None and ask.shows(read, ask.floor) else UNKNOWN


def own_id(ask: Ask, reference: str) -> str:
    """The id in a citable line of this project; a line of another names nothing here."""
    prefix, slash, key = reference.rpartition("/")
    return key if not slash or prefix == f"knowledge:{ask.scope.slug}" else ""


def _reference(key: str, held: Held) -> Reference:
    return Reference(key, held.evidence_id, held.source_id, held.version, held.excerpt_hash)


def _history(ask: Ask, statement: Statement) -> Outcome[list[PastShape]]:
    found = ask.provider.history(ask.scope, statement.id)
    if isinstance(found, Failed):
        return found
    return Ok([past_shape(past) for past in found.value.items if _shows(ask, past)])


def _shows(ask: Ask, past: PastVersion) -> bool:
    return ask.scope.allows(past.band) and past.support.rank <= ask.floor.rank and past.status not in HIDDEN
