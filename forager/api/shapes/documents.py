"""Documents, their versions and texts, and the jobs that read them."""

from typing import Literal

from typing_extensions import TypedDict


class LifecycleStep(TypedDict):
    state: str
    reason_codes: list[str]


class Document(TypedDict):
    id: str
    project_id: str
    path: str
    state: str
    state_code: str
    state_reason: str
    state_by: str
    state_at: str | None
    steps: list[LifecycleStep]
    owner: str
    review_by: str | None
    band: str
    authoritative: bool
    current_source_id: str | None
    versions: list[str]


class LedgerLine(TypedDict):
    locator: str
    reason: str


class Ledger(TypedDict):
    unit: str
    units: int
    read: int
    skipped: int
    silent: list[LedgerLine]


class SourceWarning(TypedDict):
    code: str
    message: str
    locator: str
    next_action: str


class Source(TypedDict):
    id: str
    document_id: str
    project_id: str
    original_name: str
    path: str
    title: str
    source_type: str
    media_type: str
    content_hash: str
    size_bytes: int
    processing_status: str
    state: str
    document_date: str | None
    document_date_from: str | None
    band: str
    authoritative: bool
    owner: str
    duplicate_of: str | None
    superseded_by: str | None
    origin_id: str
    chunk_count: int
    knowledge_count: int
    encoding: str
    ledger: Ledger
    warnings: list[SourceWarning]
    registered_at: str
    last_verified_at: str | None
    origin_kind: str


class ChangedPart(TypedDict):
    kind: Literal["added", "removed", "changed"]
    before: str
    after: str
    location: str


class Changes(TypedDict):
    source_id: str
    against: str | None
    changes: list[ChangedPart]
    truncated: bool


class Refusal(TypedDict):
    path: str
    code: str
    message: str
    twin_id: str | None


class Uploaded(TypedDict):
    items: list[Source]
    refused: list[Refusal]


class ImportedFolder(TypedDict):
    """``refused`` names the first few hundred, ``refused_count`` counts all."""

    registered: int
    already_there: int
    refused_count: int
    refused: list[Refusal]


class TextBlock(TypedDict):
    start: int
    end: int
    kind: str
    location: str
    locator: dict[str, str | int]


class ExcludedSpan(TypedDict):
    start: int
    end: int
    reason: str


class Text(TypedDict):
    source_id: str
    text: str
    text_hash: str
    offset_unit: Literal["codepoint"]
    blocks: list[TextBlock]
    excluded: list[ExcludedSpan]


class Stage(TypedDict):
    stage: str
    status: str
    total: int
    processed: int
    failed: int
    skipped: int
    warnings: list[SourceWarning]


class JobError(TypedDict):
    code: str
    message: str
    stage: str


class Job(TypedDict):
    id: str
    project_id: str
    kind: str
    status: str
    queued_behind: str | None
    stalled: bool
    last_progress_at: str | None
    current_stage: str
    progress: float
    cancel_requested: bool
    error: JobError | None
    stages: list[Stage]
    attempts: int
    queued_at: str
    started_at: str | None
    finished_at: str | None
