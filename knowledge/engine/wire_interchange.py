"""Wire to records: exports and imports."""

from knowledge.engine.wire import Row
from knowledge.records import Export, Import, ImportExample, ImportPlan, Tally


def read_export(row: Row) -> Export:
    return Export(
        id=row.id(),
        base_id=row.id("project_id"),
        format=row.words("format"),
        status=row.words("status"),
        revision=row.maybe_words("revision_id"),
        size_bytes=row.maybe_number("size_bytes"),
        sha256=row.maybe_words("sha256"),
        counts=row.counts("counts"),
        created_at=row.moment("created_at"),
        expires_at=row.moment("expires_at"),
        error=row.maybe_words("error"),
    )


def read_import(row: Row) -> Import:
    producer = row.row("producer")
    return Import(
        id=row.id(),
        base_id=row.id("project_id"),
        status=row.words("status"),
        size_bytes=row.number("size_bytes"),
        sha256=row.words("sha256"),
        producer_id=producer.maybe_words("instance_id"),
        producer_base=producer.maybe_words("project"),
        producer_revision=producer.maybe_number("revision"),
        plan=_plan(row.row("preview")),
        outcome=_plan(row.row("outcome")),
        job_id=row.maybe_words("job_id"),
        actor=row.maybe_words("actor"),
        error=row.maybe_words("error"),
        created_at=row.moment("created_at"),
        expires_at=row.moment("expires_at"),
        finished_at=row.moment("finished_at"),
    )


def _plan(row: Row) -> ImportPlan | None:
    if "documents" not in row:
        return None
    return ImportPlan(
        documents=_tally(row.row("documents")),
        statements=_tally(row.row("statements")),
        decisions=_tally(row.row("decisions")),
        general=row.row("standing").maybe_number("general"),
        governing=row.row("standing").maybe_number("governing"),
        examples=tuple(
            ImportExample(each.words("kind"), each.words("what"), each.words("name"), each.words("why"))
            for each in row.rows("examples")
        ),
    )


def _tally(row: Row) -> Tally:
    return Tally(*(row.maybe_number(name) for name in ("adds", "updates", "skips", "keeps")))
