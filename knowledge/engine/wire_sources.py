"""Wire to records: sources, their text, and what an upload did."""

from knowledge import records
from knowledge.engine.wire import MalformedWireError, Row
from knowledge.records import (
    Block,
    ChangedPart,
    Changes,
    Document,
    Excluded,
    ImportedFolder,
    Ledger,
    Refused,
    Source,
    SourceText,
    Step,
    Uploaded,
)
from knowledge.vocabulary import Band

PACKED = "package"


def read_source(row: Row) -> Source:
    return Source(
        id=row.id(),
        document_id=row.id("document_id"),
        base_id=row.id("project_id"),
        name=row.words("original_name"),
        path=row.words("path"),
        type=row.maybe_words("source_type"),
        media_type=row.maybe_words("media_type"),
        content_hash=row.maybe_words("content_hash"),
        size_bytes=row.number("size_bytes"),
        processing_status=row.words("processing_status"),
        state=row.maybe_words("state"),
        document_date=row.maybe_words("document_date"),
        document_date_from=row.maybe_words("document_date_from"),
        band=Band.read(row.raw("band")),
        authoritative=row.maybe_flag("authoritative"),
        owner=row.maybe_words("owner"),
        duplicate_of=row.maybe_id("duplicate_of"),
        superseded_by=row.maybe_id("superseded_by"),
        origin_id=row.maybe_words("origin_id"),
        statement_count=row.maybe_number("knowledge_count"),
        encoding=row.maybe_words("encoding"),
        ledger=_ledger(row.maybe_row("ledger")),
        warnings=tuple(read_warning(warning) for warning in row.maybe_rows("warnings")),
        registered_at=row.moment("registered_at"),
        last_verified_at=row.moment("last_verified_at"),
        has_original=row.maybe_words("origin_kind") != PACKED and row.words("processing_status") != "deleted",
    )


def read_document(row: Row) -> Document:
    return Document(
        id=row.id(),
        base_id=row.id("project_id"),
        path=row.words("path"),
        state=row.words("state"),
        state_code=row.maybe_words("state_code"),
        state_reason=row.maybe_words("state_reason"),
        state_by=row.maybe_words("state_by"),
        state_at=row.moment("state_at"),
        steps=tuple(Step(step.words("state"), step.words_list("reason_codes")) for step in row.maybe_rows("steps")),
        owner=row.maybe_words("owner"),
        band=Band.read(row.raw("band")),
        authoritative=row.maybe_flag("authoritative"),
        current_source_id=row.maybe_id("current_source_id"),
        versions=row.words_list("versions"),
    )


def read_changes(row: Row) -> Changes:
    return Changes(
        source_id=row.id("source_id"),
        against=row.maybe_id("against"),
        parts=tuple(
            ChangedPart(
                part.words("kind"),
                part.maybe_words("before"),
                part.maybe_words("after"),
                part.maybe_words("location"),
            )
            for part in row.rows("changes")
        ),
        truncated=row.maybe_flag("truncated"),
    )


def read_warning(row: Row) -> records.Warning:
    return records.Warning(
        code=row.words("code"),
        message=row.words("message"),
        locator=row.maybe_words("locator"),
        next_action=row.maybe_words("next_action"),
    )


def _ledger(row: Row | None) -> Ledger:
    if row is None:
        return Ledger("", 0, 0, 0, ())
    return Ledger(
        unit=row.maybe_words("unit"),
        units=row.maybe_number("units"),
        read=row.maybe_number("read"),
        skipped=row.maybe_number("skipped"),
        silent=tuple((line.words("locator"), line.words("reason")) for line in row.maybe_rows("silent")),
    )


def read_source_text(row: Row) -> SourceText:
    """Offsets outside the text make it malformed: nothing may be cut where nothing is."""
    text = row.words("text")
    if row.raw("offset_unit") not in (None, "codepoint"):
        raise MalformedWireError("text.offset_unit is not codepoint")
    return SourceText(
        source_id=row.id("source_id"),
        text=text,
        text_hash=row.maybe_words("text_hash"),
        blocks=tuple(
            Block(*_span(block, len(text)), block.words("kind"), block.maybe_words("location"))
            for block in row.rows("blocks")
        ),
        excluded=tuple(
            Excluded(*_span(span, len(text)), span.maybe_words("reason")) for span in row.maybe_rows("excluded")
        ),
    )


def _span(row: Row, length: int) -> tuple[int, int]:
    start, end = row.number("start"), row.number("end")
    if not 0 <= start <= end <= length:
        raise MalformedWireError("text span lies outside the text")
    return start, end


def read_refused(row: Row) -> Refused:
    return Refused(
        path=row.words("path"),
        code=row.words("code"),
        message=row.maybe_words("message"),
        twin_id=row.maybe_id("twin_id"),
    )


def read_folder(value: object) -> ImportedFolder:
    row = Row(value, "folder")
    return ImportedFolder(
        registered=row.number("registered"),
        already_there=row.maybe_number("already_there"),
        refused_count=row.maybe_number("refused_count"),
        refused=tuple(read_refused(item) for item in row.maybe_rows("refused")),
    )


def read_uploaded(value: object) -> Uploaded:
    row = Row(value, "upload")
    return Uploaded(
        sources=tuple(read_source(item) for item in row.rows("items")),
        refused=tuple(read_refused(item) for item in row.maybe_rows("refused")),
    )
