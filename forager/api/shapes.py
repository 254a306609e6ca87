"""The wire's shapes, as typed dictionaries: what handlers return, what bodies must be, what OpenAPI shows.

Times are RFC 3339 UTC strings, offsets are code points into a source's stored text.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

STRICT = ConfigDict(extra="forbid")
PageSize = Annotated[int, Field(ge=1, le=200)]


class Page(TypedDict):
    items: list[Any]
    next_cursor: str | None
    page_size: int
    total: int | None
    view_id: str


class ErrorBody(TypedDict):
    code: str
    message: str
    request_id: str
    fields: NotRequired[dict[str, str]]


class Error(TypedDict):
    error: ErrorBody


class Health(TypedDict):
    status: Literal["ok"]


class Ready(TypedDict):
    status: Literal["ok", "degraded"]
    version: str
    schema_version: int


class Session(TypedDict):
    authenticated: bool


class EngineName(TypedDict):
    name: str
    version: str


class Instance(TypedDict):
    instance_id: str
    generation: str
    generation_reason: str
    created_at: str
    data_dir: str
    mode: str


class ExportAbility(TypedDict):
    package_version: int
    canonical: bool
    manifest: bool
    checksums: bool


class Abilities(TypedDict):
    retrieval: bool
    ingestion: bool
    batch_items: bool
    references_check: bool
    recall: bool
    walk: bool
    history: bool
    publication: bool
    change_feed: bool
    push_delivery: bool
    canonical_import: bool
    authentication: bool
    project_discovery: bool
    exports: dict[str, ExportAbility]
    imports: list[str]


class AuthenticationAbility(TypedDict):
    required: bool
    schemes: list[str]
    note: str


class Limits(TypedDict):
    max_file_bytes: int
    max_files: int
    max_upload_bytes: int
    query_chars: int


class Capabilities(TypedDict):
    protocol_version: int
    canonical_schema_version: int
    engine: EngineName
    instance: Instance
    database: str
    search_backend: str
    model_provider: str
    capabilities: Abilities
    authentication: AuthenticationAbility
    limits: Limits
    time: str


class DetectorPass(TypedDict):
    at: str | None
    pairs: int
    skipped: int
    reasons: dict[str, int]


class Project(TypedDict):
    id: str
    name: str
    description: str
    state: str
    source_count: int
    knowledge_count: int
    entity_count: int
    open_conflict_count: int
    current_revision: int
    last_published_at: str | None
    last_detector_pass: DetectorPass
    created_at: str
    view_id: str


class Document(TypedDict):
    id: str
    project_id: str
    path: str
    state: str
    owner: str
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


class Refusal(TypedDict):
    path: str
    code: str
    message: str
    twin_id: str | None


class Uploaded(TypedDict):
    items: list[Source]
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


class Frame(TypedDict):
    subject: str
    attribute: str
    value_raw: str
    value: str
    unit: str
    polarity: str
    modality: str
    qualifiers: list[str]
    valid_from: str | None
    valid_to: str | None
    speaker: str | None


class Evidence(TypedDict):
    id: str
    target_id: str
    document_id: str
    source_id: str
    source_name: str
    source_path: str
    source_type: str
    version: str
    text_hash: str
    representation: str
    segmentation: str
    chunk_id: str
    location: str
    locator: dict[str, str | int]
    start: int
    end: int
    excerpt: str
    excerpt_hash: str
    extractor_name: str
    extractor_version: str
    model_name: str | None
    confidence: float
    missing_excerpt: bool


class EntityRef(TypedDict):
    id: str
    canonical_name: str
    type: str


class Item(TypedDict):
    id: str
    project_id: str
    type: str
    subject: str
    subject_origin: str
    title: str
    statement: str
    attribute_key: str | None
    attribute_value: str | None
    frame: Frame | None
    support: str
    support_reason: str
    confidence: float
    status: str
    scope: str
    entity_ids: list[str]
    effective_date: str | None
    recorded_at: str
    extractor_name: str
    extractor_version: str
    review_status: str
    superseded_by: str | None
    evidence_count: int
    origins: int
    document_ids: list[str]
    source_ids: list[str]
    conflict_ids: NotRequired[list[str]]
    entities: NotRequired[list[EntityRef]]
    evidence: NotRequired[list[Evidence]]


class AliasShape(TypedDict):
    alias: str
    kind: str
    reason: str
    confidence: float


class Entity(TypedDict):
    id: str
    project_id: str
    type: str
    canonical_name: str
    aliases: list[AliasShape]
    confidence: float
    status: str
    mention_count: int
    knowledge_count: int


class Side(TypedDict):
    id: str
    value: str
    value_raw: str
    item_ids: list[str]
    source_ids: list[str]
    origins: int
    digest: str


class Suggestion(TypedDict):
    winner_id: str
    reason: str


class Discriminator(TypedDict):
    kind: Literal["time", "unit", "place", "entity"]
    value: Annotated[str, Field(min_length=1, max_length=300)]


class Resolution(TypedDict):
    action: str
    winner_id: str | None
    discriminator: Discriminator | None
    notes: str
    actor: str
    decided_at: str


class Conflict(TypedDict):
    id: str
    project_id: str
    type: str
    subject: str
    attribute_key: str
    status: str
    description: str
    why: str
    sides: list[Side]
    item_ids: list[str]
    source_ids: list[str]
    suggested_resolution: Suggestion | None
    resolution: Resolution | None
    assignee: str | None
    digest: str
    items: list[Item]
    detected_at: str


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
    current_stage: str
    progress: float
    cancel_requested: bool
    error: JobError | None
    stages: list[Stage]
    attempts: int
    queued_at: str
    started_at: str | None
    finished_at: str | None


class Parsed(TypedDict):
    identifiers: list[str]
    dates: list[str]
    fields: dict[str, str]
    words: list[str]


class RouteHit(TypedDict):
    route: str
    method: str
    rank: int
    score: float


class Hit(TypedDict):
    item: Item
    score: float
    snippet: str
    why: str
    matched_fields: list[str]
    routes: list[RouteHit]


class ChunkHit(TypedDict):
    chunk_id: str
    source_id: str
    score: float
    snippet: str
    locator: dict[str, str | int]


class SearchAnswer(TypedDict):
    query: str
    parsed: Parsed
    backend: str
    index_version: str
    strategy: str
    view_id: str
    took_ms: float
    entities: list[EntityRef]
    knowledge: list[Hit]
    chunks: NotRequired[list[ChunkHit]]


class ReviewEvent(TypedDict):
    id: str
    target_id: str
    action: str
    before: Any
    after: Any
    actor: str
    notes: str
    at: str


class Export(TypedDict):
    id: str
    project_id: str
    format: str
    status: str
    revision_id: str | None
    size_bytes: int
    sha256: str | None
    counts: dict[str, int]
    error: str | None
    created_at: str
    expires_at: str


class TokenShape(TypedDict):
    id: str
    name: str
    scopes: list[str]
    project_ids: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    token: NotRequired[str]


class Settings(TypedDict):
    limits: Limits
    search_backend: str
    model_provider: str
    allowed_input_roots: list[str]


# Requests


@with_config(STRICT)
class ListQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[PageSize]


@with_config(STRICT)
class ItemQuery(ListQuery):
    type: NotRequired[str]
    support: NotRequired[str]
    status: NotRequired[str]
    entity: NotRequired[str]
    document: NotRequired[str]
    source: NotRequired[str]
    attribute_key: NotRequired[str]
    review_status: NotRequired[str]
    band: NotRequired[Literal["tenant", "general"]]
    ids: NotRequired[str]
    expand: NotRequired[str]


@with_config(STRICT)
class SearchQuery(TypedDict):
    q: str
    limit: NotRequired[PageSize]
    include_entities: NotRequired[bool]
    include_chunks: NotRequired[bool]
    include_historical: NotRequired[bool]
    band: NotRequired[Literal["tenant", "general"]]
    min_support: NotRequired[Literal["direct_fact", "supported_inference", "uncertain_inference", "unverified_claim"]]


@with_config(STRICT)
class EntityQuery(ListQuery):
    q: NotRequired[str]


@with_config(STRICT)
class ConflictQuery(ListQuery):
    status: NotRequired[Literal["open", "resolved", "dismissed", "moot"]]
    type: NotRequired[Literal["attribute_mismatch", "contradiction", "duplicate_source"]]
    subject: NotRequired[str]


@with_config(STRICT)
class NewProject(TypedDict):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: NotRequired[Annotated[str, Field(max_length=2000)]]
    namespace: NotRequired[Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]]


@with_config(STRICT)
class ProjectPatch(TypedDict):
    name: NotRequired[Annotated[str, Field(min_length=1, max_length=200)]]
    description: NotRequired[Annotated[str, Field(max_length=2000)]]


@with_config(STRICT)
class ProcessRequest(TypedDict):
    force: NotRequired[bool]


@with_config(STRICT)
class NewToken(TypedDict):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    scopes: Annotated[
        list[Literal["read", "ingest", "review", "export", "manage_bases"]], Field(min_length=1, max_length=5)
    ]
    project_ids: list[str]
    expires_at: NotRequired[str | None]


@with_config(STRICT)
class Resolve(TypedDict):
    action: Literal["choose_side", "both", "neither", "merge", "not_a_conflict", "needs_evidence"]
    side_id: NotRequired[str]
    discriminator: NotRequired[Discriminator]
    assignee: NotRequired[Annotated[str, Field(max_length=200)]]
    expected_digest: str
    notes: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Annotated[str, Field(min_length=1, max_length=200)]


@with_config(STRICT)
class Reopen(TypedDict):
    notes: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Annotated[str, Field(min_length=1, max_length=200)]


@with_config(STRICT)
class NewExport(TypedDict):
    format: Literal["jsonl"]
