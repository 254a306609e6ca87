"""An agent proposes how a conflict should be ruled. Nothing is applied: a person reads it beside the evidence."""

from knowledge.context.model import ConflictEntry
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.records import Conflict
from knowledge.tools.opening import own_id
from knowledge.tools.packaging import package_id_of
from knowledge.tools.seat import Answered, Ask
from knowledge.tools.standing import readable_package
from knowledge.tools.tasks import ReviewAnswer, ReviewArguments
from knowledge.tools.telling import now
from knowledge.tools.working import Filed, Proposed
from knowledge.vocabulary import ConflictStatus

UNKNOWN = Failed(Failure.NOT_FOUND, "The conflict is unknown, foreign or not in this package; a caller cannot tell.")
UNCHANGED = "The knowledge base has not changed. A person decides; until then the conflict is open."
DECIDED = "The knowledge base has not changed by this call. A person has decided already."
SIDE = "names no side of this conflict that the package holds"
APART = "say what tells the sides apart, and name it"


def review(ask: Ask, given: ReviewArguments) -> Outcome[Answered]:
    """Bound to what the package told: where the sides read otherwise now, nothing is filed."""
    kept = readable_package(ask, package_id_of(ask, given.package))
    if isinstance(kept, Failed):
        return kept
    entries = kept.value.context.conflicts if kept.value.context else ()
    entry = next((each for each in entries if each.conflict.id == given.conflict), None)
    if entry is None:
        return UNKNOWN
    filed = _filed(ask, given, entry, kept.value.id)
    if isinstance(filed, Failed):
        return filed
    data = ReviewAnswer(
        admitted_at=now(),
        view_id="",
        abstention=None,
        proposal=filed.id,
        state=filed.state,
        ruling=filed.ruling,
        base_changed=False,
        told=UNCHANGED if filed.state in ("open", "applying") else DECIDED,
    )
    return Ok(Answered(data))


def _filed(ask: Ask, given: ReviewArguments, entry: ConflictEntry, package: str) -> Filed | Failed:
    """The one that was filed before, whatever became of it; else a new one, if the sides still read like that."""
    side = _side(ask, given, entry)
    if isinstance(side, Failed):
        return side
    if known := ask.work.proposed(given.conflict, entry.conflict.digest):
        return known
    live = ask.provider.conflict(ask.scope, given.conflict)
    if isinstance(live, Failed):
        return UNKNOWN if live.failure is Failure.NOT_FOUND else live
    if moved := _moved(entry.conflict, live.value):
        return moved
    proposed = Proposed(
        conflict_id=given.conflict,
        digest=entry.conflict.digest,
        ruling=given.ruling,
        side_id=side,
        told_apart_by=given.told_apart_by if given.ruling == "both" else "",
        told_apart=given.told_apart if given.ruling == "both" else "",
        reason=given.reason,
        package=package,
    )
    filed = ask.work.propose(proposed)
    return filed if isinstance(filed, Failed) else filed.value


def _side(ask: Ask, given: ReviewArguments, entry: ConflictEntry) -> str | Failed:
    if given.ruling == "both" and not (given.told_apart_by and given.told_apart):
        return _wrong("told_apart_by", APART)
    if given.ruling != "choose_side":
        return ""
    key = own_id(ask, given.statement)
    sides = [side.id for side in entry.conflict.sides if key and key in side.statement_ids]
    return sides[0] if len(sides) == 1 else _wrong("statement", SIDE)


def _moved(then: Conflict, live: Conflict) -> Failed | None:
    if live.status is not ConflictStatus.OPEN:
        return Failed(Failure.CONFLICT, "A person has ruled on it meanwhile.", fields=(("conflict", "is not open"),))
    if live.digest != then.digest:
        return Failed(Failure.CONFLICT, "The sides changed.", fields=(("package", "tells other sides than there are"),))
    return None


def _wrong(field: str, message: str) -> Failed:
    return Failed(Failure.INVALID, "The arguments cannot be used.", fields=((field, message),))
