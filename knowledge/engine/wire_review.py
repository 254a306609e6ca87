"""Wire to records: the review queue, the brief of one conflict, and the outcomes of rulings on many."""

from knowledge.engine.wire import Row
from knowledge.engine.wire_engine import read_review_event
from knowledge.engine.wire_entities import read_candidate
from knowledge.engine.wire_sources import read_source
from knowledge.engine.wire_statements import read_conflict
from knowledge.reviewing import (
    Brief,
    PairBrief,
    Passage,
    Place,
    Preview,
    Queue,
    Queued,
    Reach,
    Record,
    Ruled,
    RulingOutcome,
    Weight,
)


def read_queue(row: Row) -> Queue:
    counts, record = row.row("counts"), row.row("record")
    return Queue(
        items=tuple(_queued(each) for each in row.rows("items")),
        next_cursor=row.maybe_words("next_cursor") or None,
        total=row.number("total"),
        view_id=row.maybe_words("view_id"),
        tabs=counts.counts("tabs"),
        types=counts.counts("types"),
        assignees=counts.counts("assignees"),
        record=Record(
            record.number("rulings"),
            record.number("undone"),
            record.number("with_suggestion"),
            record.number("as_suggested"),
        ),
        second_look=row.flag("second_look"),
    )


def read_brief(row: Row) -> Brief:
    return Brief(
        conflict=read_conflict(row.row("conflict")),
        weight=_weight(row.row("weight")),
        passages=tuple(read_passage(each) for each in row.rows("passages")),
        sources=tuple(read_source(each) for each in row.rows("sources")),
        trail=tuple(read_review_event(each) for each in row.rows("trail")),
        previews=tuple(_preview(each) for each in row.rows("previews")),
        reach=_reach(row.row("reach")),
        place=read_place(row.row("place")),
        decision_id=row.maybe_words("decision_id"),
        second_look=row.flag("second_look"),
        awaits_second=row.maybe_words("awaits_second"),
    )


def read_pair(row: Row) -> PairBrief:
    return PairBrief(
        candidate=read_candidate(row.row("candidate")),
        passages=tuple(read_passage(each) for each in row.rows("passages")),
        place=read_place(row.row("place")),
    )


def read_ruled(row: Row) -> Ruled:
    outcome = row.maybe_words("outcome") or "recorded"
    return Ruled(read_conflict(row), row.maybe_words("decision_id"), outcome, row.maybe_words("message"))


def read_outcomes(row: Row) -> tuple[RulingOutcome, ...]:
    return tuple(
        RulingOutcome(
            each.id("conflict_id"),
            each.words("outcome"),
            each.maybe_words("message"),
            each.maybe_words("decision_id"),
        )
        for each in row.rows("outcomes")
    )


def _queued(row: Row) -> Queued:
    return Queued(read_conflict(row), _weight(row.row("weight")), row.maybe_words("awaits_second"))


def _weight(row: Row) -> Weight:
    return Weight(
        served=row.number("served"),
        uncertainty=row.number("uncertainty"),
        days=row.number("days"),
        risk=row.number("risk"),
        sources=row.number("sources"),
    )


def read_passage(row: Row) -> Passage:
    return Passage(row.id("evidence_id"), row.words("before"), row.words("after"), row.words("state"))


def _preview(row: Row) -> Preview:
    changes = tuple((each.words("status"), each.words_list("item_ids")) for each in row.rows("changes"))
    return Preview(row.words("action"), row.maybe_words("side_id"), changes)


def _reach(row: Row) -> Reach:
    return Reach(row.number("packages"), row.words_list("agents"), row.number("exports"))


def read_place(row: Row) -> Place:
    return Place(row.number("position"), row.number("total"), row.maybe_words("before"), row.maybe_words("after"))
