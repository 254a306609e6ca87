"""Wire to records: what may be one entity, and the answers to decisions about names."""

from knowledge.engine.wire import Row
from knowledge.engine.wire_statements import read_entity, read_statement
from knowledge.records import CandidateSide, Entity, MergeCandidate


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


def read_merged(row: Row) -> Entity:
    """The entity as it still stands; the decision takes effect with the job."""
    return read_entity(row.row("entity"))
