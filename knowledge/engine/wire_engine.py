"""Wire to records: the engine itself, knowledge bases, jobs, exports, review events."""

import json
from datetime import datetime

from knowledge.engine.wire import MalformedWireError, Row
from knowledge.engine.wire_sources import read_warning
from knowledge.records import Base, DetectorPass, Engine, Job, Stage
from knowledge.reviewing import ReviewEvent
from knowledge.vocabulary import JobStatus

PROTOCOL_VERSION = 1


def read_engine(value: object) -> Engine:
    """Capabilities of protocol 1; the caller has looked at the version before."""
    row = Row(value, "capabilities")
    named, instance, limits = row.row("engine"), row.row("instance"), row.row("limits")
    exports = Row(dict(row.row("capabilities").pairs("exports")), "exports")
    package = exports.maybe_row("anthill")
    return Engine(
        name=named.words("name"),
        version=named.words("version"),
        protocol_version=row.number("protocol_version"),
        instance_id=instance.id("instance_id"),
        generation=instance.id("generation"),
        data_dir=instance.maybe_words("data_dir"),
        database=row.maybe_words("database"),
        search_backend=row.maybe_words("search_backend"),
        model_provider=row.maybe_words("model_provider"),
        capabilities=_abilities(row),
        package_version=package.number("package_version") if package else None,
        max_file_bytes=limits.number("max_file_bytes"),
        max_files=limits.number("max_files"),
        max_archive_entries=limits.maybe_number("max_archive_entries"),
        query_chars=limits.number("query_chars"),
    )


def protocol_of(value: object) -> int:
    """The protocol version alone, so that a newer engine is told apart from a broken one."""
    return Row(value, "capabilities").number("protocol_version")


def _abilities(row: Row) -> frozenset[str]:
    """Names declared true, and ``export:<format>`` and ``import:<format>`` for each format."""
    told = row.row("capabilities")
    able = [name for name, value in row.pairs("capabilities") if value is True]
    written = [f"export:{name}" for name, _ in told.pairs("exports")]
    read = [f"import:{name}" for name in told.maybe_items("imports") if isinstance(name, str)]
    return frozenset([*able, *written, *read])


def read_base(row: Row) -> Base:
    return Base(
        id=row.id(),
        name=row.words("name"),
        description=row.maybe_words("description"),
        state=row.maybe_words("state"),
        source_count=row.number("source_count"),
        statement_count=row.number("knowledge_count"),
        entity_count=row.number("entity_count"),
        open_conflict_count=row.number("open_conflict_count"),
        current_revision=row.maybe_number("current_revision"),
        last_published_at=row.moment("last_published_at"),
        last_pass=_detector_pass(row.maybe_row("last_detector_pass")),
    )


def _detector_pass(row: Row | None) -> DetectorPass:
    if row is None:
        return DetectorPass(None, 0, 0, ())
    return DetectorPass(
        at=row.moment("at"),
        pairs=row.maybe_number("pairs"),
        skipped=row.maybe_number("skipped"),
        reasons=row.counts("reasons"),
    )


def read_job(row: Row) -> Job:
    error = row.maybe_row("error")
    return Job(
        id=row.id(),
        base_id=row.id("project_id"),
        kind=row.maybe_words("kind"),
        status=JobStatus.read(row.raw("status")),
        queued_behind=row.maybe_id("queued_behind"),
        current_stage=row.maybe_words("current_stage"),
        progress=row.share("progress"),
        cancel_requested=row.maybe_flag("cancel_requested"),
        error_code=error.maybe_words("code") if error else "",
        error_message=error.maybe_words("message") if error else "",
        error_stage=error.maybe_words("stage") if error else "",
        stages=tuple(_stage(stage) for stage in row.maybe_rows("stages")),
        attempts=row.maybe_number("attempts"),
        queued_at=row.moment("queued_at"),
        started_at=row.moment("started_at"),
        finished_at=row.moment("finished_at"),
        is_stalled=row.maybe_flag("stalled"),
        last_progress_at=row.moment("last_progress_at"),
    )


def _stage(row: Row) -> Stage:
    return Stage(
        name=row.words("stage"),
        status=row.words("status"),
        total=row.number("total"),
        processed=row.number("processed"),
        failed=row.maybe_number("failed"),
        skipped=row.maybe_number("skipped"),
        warnings=tuple(read_warning(warning) for warning in row.maybe_rows("warnings")),
    )


def read_review_event(row: Row) -> ReviewEvent:
    return ReviewEvent(
        id=row.id(),
        target_id=row.id("target_id"),
        action=row.words("action"),
        before=_state_words(row.raw("before")),
        after=_state_words(row.raw("after")),
        actor=row.maybe_words("actor"),
        notes=row.maybe_words("notes"),
        at=_needed_moment(row),
    )


def _needed_moment(row: Row) -> datetime:
    found = row.moment("at")
    if found is None:
        raise MalformedWireError("review_event.at is missing")
    return found


def _state_words(value: object) -> str:
    """A state before or after an act, as words: its status, then the ruling that gave it; ids tell a reader nothing."""
    if value is None:
        return ""
    if not isinstance(value, dict):
        return str(value)
    said = [str(value[key]).replace("_", " ") for key in ("status", "action") if value.get(key)]
    said += [
        "; ".join(str(name) for name in value[key]) for key in ("one", "apart") if isinstance(value.get(key), list)
    ]
    return ", ".join(said) if said else json.dumps(value, sort_keys=True, ensure_ascii=False)
