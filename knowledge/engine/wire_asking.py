"""Wire to records: recall, neighbourhood, walk, history and checked references."""

from knowledge.engine.wire import MalformedWireError, Row
from knowledge.engine.wire_statements import read_entity_ref, read_hit, read_statement
from knowledge.records import (
    CheckedReference,
    CheckedReferences,
    Edge,
    Neighbours,
    PastVersion,
    Quote,
    RawLines,
    RecallResult,
    SourceSummary,
    Walk,
    WalkStep,
)
from knowledge.vocabulary import Band, Status, Support

TIERS = frozenset(("statements", "summaries", "raw", "nothing"))
STATES = {"ok": True, "unavailable": False}


def read_recall(row: Row) -> RecallResult:
    """A tier this build does not know is malformed: nobody could tell what answered."""
    tier = row.words("tier")
    if tier not in TIERS:
        raise MalformedWireError("recall.tier is not one that is known")
    return RecallResult(
        query=row.words("query"),
        tier=tier,
        looked=tuple((one.words("tier"), one.number("hits")) for one in row.maybe_rows("looked")),
        backend=row.maybe_words("backend"),
        view_id=row.maybe_words("view_id"),
        hits=tuple(read_hit(hit) for hit in row.rows("knowledge")),
        summaries=tuple(_summary(one) for one in row.rows("summaries")),
        raw=tuple(_raw(one) for one in row.rows("raw")),
    )


def _summary(row: Row) -> SourceSummary:
    return SourceSummary(
        source_id=row.id("source_id"),
        source_path=row.maybe_words("source_path"),
        title=row.maybe_words("title"),
        headings=row.words_list("headings"),
        sentences=tuple(_quote(one) for one in row.rows("sentences")),
        matched_words=row.words_list("matched_words"),
    )


def _raw(row: Row) -> RawLines:
    return RawLines(
        source_id=row.id("source_id"),
        source_path=row.maybe_words("source_path"),
        chunk_id=row.id("chunk_id"),
        location=row.maybe_words("location"),
        lines=tuple(_quote(one) for one in row.rows("lines")),
    )


def _quote(row: Row) -> Quote:
    return Quote(row.words("text"), row.number("start"), row.number("end"))


def read_neighbours(row: Row) -> Neighbours:
    return Neighbours(
        entity=read_entity_ref(row.row("entity")),
        entities=tuple((read_entity_ref(one), one.number("depth")) for one in row.rows("entities")),
        edges=tuple(_edge(one) for one in row.rows("edges")),
        is_truncated=row.maybe_flag("truncated"),
        view_id=row.maybe_words("view_id"),
    )


def _edge(row: Row) -> Edge:
    return Edge(
        statement=read_statement(row.row("item")),
        from_id=row.maybe_id("from_id"),
        to_id=row.maybe_id("to_id"),
        type=row.maybe_words("type"),
        is_inverse=row.flag("inverse"),
        depth=row.number("depth"),
    )


def read_walk(row: Row) -> Walk:
    return Walk(
        entity=read_entity_ref(row.row("entity")),
        query=row.words("query"),
        steps=tuple(_step(one) for one in row.rows("steps")),
        view_id=row.maybe_words("view_id"),
    )


def _step(row: Row) -> WalkStep:
    return WalkStep(
        statement=read_statement(row.row("item")),
        from_id=row.maybe_id("from_id"),
        to_id=row.maybe_id("to_id"),
        is_inverse=row.flag("inverse"),
        round=row.number("round"),
        score=row.measure("score"),
    )


def read_past(row: Row) -> PastVersion:
    return PastVersion(
        statement_id=row.id("item_id"),
        band=Band.read(row.raw("scope")),
        text=row.words("statement"),
        attribute_key=row.maybe_words("attribute_key"),
        attribute_value=row.maybe_words("attribute_value"),
        support=Support.read(row.words("support")),
        confidence=row.share("confidence"),
        status=Status.read(row.words("status")),
        effective_date=row.maybe_words("effective_date"),
        recorded_at=row.moment("recorded_at"),
        ended_at=row.moment("ended_at"),
        ended_because=row.maybe_words("ended_because"),
        superseded_by=row.maybe_id("superseded_by"),
        source_ids=row.words_list("source_ids"),
    )


def read_checked(row: Row) -> CheckedReferences:
    """Only a plain *ok* is one; a state this build does not know is unavailable."""
    items = tuple(
        CheckedReference(one.id("item_id"), STATES.get(one.words("state"), False)) for one in row.rows("items")
    )
    return CheckedReferences(items, row.maybe_words("view_id"))
