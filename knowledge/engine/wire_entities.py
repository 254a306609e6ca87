"""Wire to records: what may be one entity, and the answers to decisions about names."""

from knowledge.engine.wire import Row
from knowledge.engine.wire_statements import read_entity, read_entity_ref, read_statement
from knowledge.records import CandidateSide, Entity, MergeCandidate, Neighbour, Page
from knowledge.reviewing import StoredDecision


def read_candidate(row: Row) -> MergeCandidate:
    decision = row.maybe_row("decision")
    return MergeCandidate(
        id=row.id(),
        kind=row.maybe_words("kind"),
        reason=row.maybe_words("reason"),
        confidence=row.share("confidence"),
        status=row.words("status"),
        sides=tuple(_side(side) for side in row.rows("sides")),
        decided_by=decision.maybe_words("actor") if decision else "",
        decided_notes=decision.maybe_words("notes") if decision else "",
        decided_at=decision.moment("decided_at") if decision else None,
        digest=row.words("digest"),
        detected_at=row.moment("detected_at"),
    )


def _side(row: Row) -> CandidateSide:
    items = tuple(read_statement(item) for item in row.maybe_rows("items"))
    return CandidateSide(read_entity(row.row("entity")), items)


def read_decision(row: Row) -> StoredDecision:
    """A ruling rests on the values of its sides, a decision about entities on the first name of each."""
    anchor = row.row("anchor")
    sides = anchor.maybe_rows("sides")
    about = tuple(side.maybe_words("value") for side in sides)
    return StoredDecision(
        id=row.id(),
        kind=row.maybe_words("kind"),
        action=row.words("action"),
        state=row.words("state"),
        about=about or tuple(name for key in ("a", "b") for name in anchor.words_list(key)[:1]),
        target_id=row.maybe_words("target_id"),
        actor=row.maybe_words("actor"),
        notes=row.maybe_words("notes"),
        at=row.moment("decided_at"),
    )


def read_merged(row: Row) -> Entity:
    """The entity as it still stands; the decision takes effect with the job."""
    return read_entity(row.row("entity"))


def read_neighbours(row: Row) -> Page[Neighbour]:
    """Those named together most; ``total`` counts the ones left out, too."""
    return Page(tuple(_neighbour(each) for each in row.rows("neighbours")), None, row.number("total"))


def _neighbour(row: Row) -> Neighbour:
    return Neighbour(
        entity=read_entity_ref(row.row("entity")),
        statement_count=row.number("items"),
        statement_id=row.id("item_id"),
        statement=row.words("statement"),
    )
