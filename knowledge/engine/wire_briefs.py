"""Wire to records: the briefs of one source and of one statement, and what carries a statement."""

from knowledge.engine.wire import Row
from knowledge.engine.wire_asking import read_checked, read_past
from knowledge.engine.wire_engine import read_review_event
from knowledge.engine.wire_review import read_passage
from knowledge.engine.wire_sources import read_changes, read_document, read_source, read_source_text
from knowledge.engine.wire_statements import read_conflict, read_statement
from knowledge.records import SourceBrief, Standing
from knowledge.reviewing import Dispute, Grounds, StatementBrief


def read_source_brief(row: Row) -> SourceBrief:
    text, changes = row.maybe_row("text"), row.maybe_row("changes")
    return SourceBrief(
        source=read_source(row.row("source")),
        document=read_document(row.row("document")),
        text=read_source_text(text) if text else None,
        statements=tuple(read_statement(each) for each in row.rows("items")),
        changes=read_changes(changes) if changes else None,
    )


def read_statement_brief(row: Row) -> StatementBrief:
    return StatementBrief(
        statement=read_statement(row.row("item")),
        passages=tuple(read_passage(each) for each in row.rows("passages")),
    )


def read_grounds(row: Row) -> Grounds:
    return Grounds(
        statement=read_statement(row.row("item")),
        texts=tuple(read_source_text(each) for each in row.rows("texts")),
        versions=tuple(read_past(each) for each in row.rows("versions")),
        disputes=tuple(
            Dispute(
                read_conflict(each.row("conflict")),
                tuple(read_review_event(event) for event in each.rows("rulings")),
            )
            for each in row.rows("disputes")
        ),
    )


def read_standing(row: Row) -> Standing:
    checked = read_checked(row)
    return Standing(
        items=checked.items,
        statements=tuple(read_statement(each) for each in row.rows("knowledge")),
        successors=tuple(read_statement(each) for each in row.rows("successors")),
        sources=tuple(read_source(each) for each in row.rows("sources")),
        view_id=checked.view_id,
    )
