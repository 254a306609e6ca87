"""The engine itself: errors, pages, identity, limits, tokens, bases."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class Page(TypedDict):
    items: list[Any]
    next_cursor: str | None
    page_size: int
    total: int | None
    view_id: str
    conflicts: NotRequired[list[Any]]
    successors: NotRequired[list[Any]]
    entities: NotRequired[list[Any]]


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
    max_archive_entries: int
    max_archive_bytes: int
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
