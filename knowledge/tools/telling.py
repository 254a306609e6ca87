"""From records to the shapes agents get. What may be shown was decided before; nothing is decided here."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from knowledge.context.model import RelatedEntity, Relationship
from knowledge.context.select import is_contested
from knowledge.context.whole import Whole
from knowledge.records import Conflict, EntityRef, Evidence, PastVersion, Statement
from knowledge.scope import KnowledgeScope
from knowledge.tools.shapes import (
    ConflictShape,
    EntityShape,
    EvidenceShape,
    PastShape,
    RelationshipShape,
    StatementShape,
)
from knowledge.vocabulary import Status


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(value: datetime | None) -> str:
    return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if value else ""


def contested_in(whole: Whole) -> frozenset[str]:
    """Statements that stand in an open conflict, or are marked as disputed."""
    members = {key for conflict in whole.conflicts for key in conflict.statement_ids}
    return frozenset(members | {key for key, s in whole.statements.items() if s.status is Status.DISPUTED})


def told_contested(statements: Collection[Statement]) -> frozenset[str]:
    """Where only the statements themselves were read."""
    return frozenset(statement.id for statement in statements if is_contested(statement))


def statement_shape(
    statement: Statement, scope: KnowledgeScope, contested: Collection[str], shown: Collection[str] = ()
) -> StatementShape:
    """A contested statement is never told as active; a successor is named only when it is among ``shown``."""
    is_disputed = statement.id in contested
    status = Status.DISPUTED if is_disputed and statement.status is Status.ACTIVE else statement.status
    return StatementShape(
        id=statement.id,
        citation=f"knowledge:{scope.slug}/{statement.id}",
        statement=statement.text,
        subject=statement.subject,
        attribute_key=statement.attribute_key,
        attribute_value=statement.attribute_value,
        support=statement.support.value,
        confidence=statement.confidence,
        status=status.value,
        contested=is_disputed,
        effective_date=statement.effective_date,
        superseded_by=statement.superseded_by if statement.superseded_by in shown else None,
        evidence_count=statement.evidence_count,
    )


def evidence_shape(piece: Evidence) -> EvidenceShape:
    return EvidenceShape(
        id=piece.id,
        statement_id=piece.statement_id,
        source_id=piece.source_id,
        source=piece.source_name,
        path=piece.source_path,
        location=piece.location,
        excerpt=piece.excerpt,
        excerpt_hash=piece.excerpt_hash,
        version=piece.version,
        start=piece.start,
        end=piece.end,
    )


def conflict_shape(
    conflict: Conflict, scope: KnowledgeScope, shown: Mapping[str, Statement], contested: Collection[str]
) -> ConflictShape:
    competing = [shown[key] for key in conflict.statement_ids if key in shown]
    return ConflictShape(
        id=conflict.id,
        type=conflict.type,
        about=conflict.attribute_key or conflict.subject,
        description=conflict.description,
        suggestion=conflict.suggestion.reason if conflict.suggestion else "",
        competing=[statement_shape(each, scope, contested, shown) for each in competing],
        not_shown=len(conflict.statement_ids) - len(competing),
    )


def past_shape(past: PastVersion) -> PastShape:
    return PastShape(
        statement_id=past.statement_id,
        statement=past.text,
        support=past.support.value,
        status=past.status.value,
        effective_date=past.effective_date,
        recorded_at=moment(past.recorded_at),
        ended_at=moment(past.ended_at),
        ended_because=past.ended_because,
    )


def entity_shape(entity: EntityRef | RelatedEntity) -> EntityShape:
    return EntityShape(id=entity.id, name=entity.name, type=entity.type)


def relationship_shape(each: Relationship) -> RelationshipShape:
    return RelationshipShape(
        type=each.type,
        source=entity_shape(each.source),
        target=entity_shape(each.target),
        statement_id=each.fact.statement.id,
    )
