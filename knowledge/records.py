"""What the engine knows, as frozen values. No wire names leave ``knowledge.engine``; these are what the rest reads.

Times are aware ``datetime`` in UTC, offsets are code points into a source's stored text, ids are opaque strings.
"""

from dataclasses import dataclass
from datetime import datetime

from knowledge.vocabulary import Band, ConflictStatus, JobStatus, Status, Support


@dataclass(frozen=True, slots=True)
class Page[T]:
    """One page of a list in the engine's stable order."""

    items: tuple[T, ...]
    next_cursor: str | None
    total: int | None
    view_id: str = ""


@dataclass(frozen=True, slots=True)
class Engine:
    """Who answered. ``capabilities`` holds the names the engine declares as true."""

    name: str
    version: str
    protocol_version: int
    instance_id: str
    generation: str
    data_dir: str
    database: str
    search_backend: str
    model_provider: str
    capabilities: frozenset[str]
    package_version: int | None
    max_file_bytes: int
    max_files: int
    max_archive_entries: int
    query_chars: int


@dataclass(frozen=True, slots=True)
class DetectorPass:
    """What the last conflict pass compared. ``at`` is None when it never ran."""

    at: datetime | None
    pairs: int
    skipped: int
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Base:
    """A knowledge base: the engine-side project."""

    id: str
    name: str
    description: str
    state: str
    source_count: int
    statement_count: int
    entity_count: int
    open_conflict_count: int
    current_revision: int
    last_published_at: datetime | None
    last_pass: DetectorPass


@dataclass(frozen=True, slots=True)
class Warning:
    code: str
    message: str
    locator: str
    next_action: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """What of a source was read: ``unit`` is pages, rows, paragraphs …; ``silent`` lists (place, reason)."""

    unit: str
    units: int
    read: int
    skipped: int
    silent: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One version of a document."""

    id: str
    document_id: str
    base_id: str
    name: str
    path: str
    type: str
    media_type: str
    content_hash: str
    size_bytes: int
    processing_status: str
    state: str
    document_date: str
    document_date_from: str
    band: Band
    authoritative: bool
    owner: str
    duplicate_of: str | None
    superseded_by: str | None
    origin_id: str
    statement_count: int
    encoding: str
    ledger: Ledger
    warnings: tuple[Warning, ...]
    registered_at: datetime | None
    last_verified_at: datetime | None


@dataclass(frozen=True, slots=True)
class Step:
    """A state a document may take next, with the reasons the engine knows for it."""

    state: str
    reason_codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A path with its lifecycle; ``versions`` are ids of its sources, oldest first."""

    id: str
    base_id: str
    path: str
    state: str
    state_code: str
    state_reason: str
    state_by: str
    state_at: datetime | None
    steps: tuple[Step, ...]
    owner: str
    band: Band
    authoritative: bool
    current_source_id: str | None
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """``kind`` is added, removed or changed; ``location`` is where, in words."""

    kind: str
    before: str
    after: str
    location: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What a version says otherwise than ``against``; that is None for the first one."""

    source_id: str
    against: str | None
    parts: tuple[ChangedPart, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a source's text with its place, e.g. kind ``paragraph``, ``heading``, ``table_row``."""

    start: int
    end: int
    kind: str
    location: str


@dataclass(frozen=True, slots=True)
class Excluded:
    """Text that is kept and shown but can carry no evidence (quoted mail, signature, hidden text)."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class SourceText:
    source_id: str
    text: str
    text_hash: str
    blocks: tuple[Block, ...]
    excluded: tuple[Excluded, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A file the engine did not take, and why; ``twin_id`` names the source it repeats."""

    path: str
    code: str
    message: str
    twin_id: str | None


@dataclass(frozen=True, slots=True)
class Uploaded:
    sources: tuple[Source, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class ImportedFolder:
    """What importing a folder did. ``refused`` names the first of them, ``refused_count`` counts all."""

    registered: int
    already_there: int
    refused_count: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    id: str
    statement_id: str
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
    start: int
    end: int
    excerpt: str
    excerpt_hash: str
    extractor: str
    confidence: float
    missing: bool


@dataclass(frozen=True, slots=True)
class EntityRef:
    id: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Frame:
    """How the engine read a sentence: subject, attribute, the value as written and as understood."""

    subject: str
    attribute: str
    value_raw: str
    value: str
    unit: str
    polarity: str
    modality: str
    qualifiers: tuple[str, ...]
    valid_from: str
    valid_to: str
    speaker: str
    value_type: str = ""
    bound: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """Which entry of the word lists decided ``what`` (attribute, value, side); ``added`` ones are the base's own."""

    what: str
    word: str
    entry: str
    added: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """The statement joins these two entities; ``type`` is its attribute."""

    id: str
    type: str
    from_id: str
    to_id: str


@dataclass(frozen=True, slots=True)
class Statement:
    id: str
    base_id: str
    type: str
    subject: str
    subject_origin: str
    text: str
    attribute_key: str
    attribute_value: str
    frame: Frame | None
    support: Support
    support_label_raw: str
    support_reason: str
    confidence: float
    status: Status
    band: Band
    entity_ids: tuple[str, ...]
    effective_date: str
    recorded_at: datetime | None
    extractor: str
    review_status: str
    superseded_by: str | None
    evidence_count: int
    origins: int
    document_ids: tuple[str, ...]
    source_ids: tuple[str, ...]
    conflict_ids: tuple[str, ...] = ()
    entities: tuple[EntityRef, ...] = ()
    relations: tuple[Relation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    entries: tuple[Entry, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """``separable`` says that it is a name of its own, which a person may take out again."""

    alias: str
    kind: str
    reason: str
    confidence: float
    separable: bool = False


@dataclass(frozen=True, slots=True)
class Entity:
    id: str
    type: str
    name: str
    aliases: tuple[Alias, ...]
    mention_count: int
    statement_count: int


@dataclass(frozen=True, slots=True)
class CandidateSide:
    """One of two entities that may be one, with statements that name it."""

    entity: Entity
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities that may be one. ``status`` is open, accepted or rejected; ``digest`` covers what was read."""

    id: str
    kind: str
    reason: str
    confidence: float
    status: str
    sides: tuple[CandidateSide, ...]
    decided_by: str
    decided_notes: str
    decided_at: datetime | None
    digest: str
    detected_at: datetime | None


@dataclass(frozen=True, slots=True)
class Side:
    """One distinct value of a conflict. ``digest`` covers its statements and excerpts."""

    id: str
    value: str
    value_raw: str
    statement_ids: tuple[str, ...]
    source_ids: tuple[str, ...]
    origins: int
    digest: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The engine's reason only is for agents; the winner is shown to people, never applied."""

    winner_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ruling:
    action: str
    winner_id: str | None
    discriminator_kind: str
    discriminator_value: str
    notes: str
    actor: str
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class Conflict:
    id: str
    type: str
    subject: str
    attribute_key: str
    status: ConflictStatus
    description: str
    why: str
    sides: tuple[Side, ...]
    statement_ids: tuple[str, ...]
    source_ids: tuple[str, ...]
    suggestion: Suggestion | None
    ruling: Ruling | None
    assignee: str
    digest: str
    detected_at: datetime | None
    statements: tuple[Statement, ...] = ()
    certainty: str = "dispute"


@dataclass(frozen=True, slots=True)
class Batch(Page[Statement]):
    """Whole statements with the open conflicts they stand in and the entities they are about, read on one view.

    ``conflicts`` hold their competing statements whole. A plain ``Page`` says nothing about either.
    """

    conflicts: tuple[Conflict, ...] = ()
    related: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the eleven persisted stages; ``status`` is waiting, running, done, skipped or failed."""

    name: str
    status: str
    total: int
    processed: int
    failed: int
    skipped: int
    warnings: tuple[Warning, ...]


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    base_id: str
    kind: str
    status: JobStatus
    queued_behind: str | None
    current_stage: str
    progress: float
    cancel_requested: bool
    error_code: str
    error_message: str
    error_stage: str
    stages: tuple[Stage, ...]
    attempts: int
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    is_stalled: bool = False
    last_progress_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """Where a hit came from; scores of different routes do not compare."""

    route: str
    method: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    statement: Statement
    score: float
    snippet: str
    why: str
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    query: str
    backend: str
    index_version: str
    strategy: str
    view_id: str
    took_ms: float
    entities: tuple[EntityRef, ...]
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source as they stand at ``start`` to ``end``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """A source in its own words; ``matched_words`` are those of the question that stand in it."""

    source_id: str
    source_path: str
    title: str
    headings: tuple[str, ...]
    sentences: tuple[Quote, ...]
    matched_words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RawLines:
    source_id: str
    source_path: str
    chunk_id: str
    location: str
    lines: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """``tier`` is the one that answered (statements, summaries, raw, nothing); ``looked`` counts what each one had."""

    query: str
    tier: str
    looked: tuple[tuple[str, int], ...]
    backend: str
    view_id: str
    hits: tuple[Hit, ...]
    summaries: tuple[SourceSummary, ...]
    raw: tuple[RawLines, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A statement as an edge from its subject. ``is_inverse``: it was reached from its far end."""

    statement: Statement
    from_id: str | None
    to_id: str | None
    type: str
    is_inverse: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """``entities`` come with how many statements away they are, the one asked about with 0."""

    entity: EntityRef
    entities: tuple[tuple[EntityRef, int], ...]
    edges: tuple[Edge, ...]
    is_truncated: bool
    view_id: str


@dataclass(frozen=True, slots=True)
class WalkStep:
    """``score`` is (1 + words of the question it says) x confidence; ``round`` is when the walk took it."""

    statement: Statement
    from_id: str | None
    to_id: str | None
    is_inverse: bool
    round: int
    score: float


@dataclass(frozen=True, slots=True)
class Walk:
    entity: EntityRef
    query: str
    steps: tuple[WalkStep, ...]
    view_id: str


@dataclass(frozen=True, slots=True)
class PastVersion:
    """One reading of a statement or of what it is about; ``ended_because`` is empty while it holds."""

    statement_id: str
    text: str
    attribute_key: str
    attribute_value: str
    support: Support
    confidence: float
    status: Status
    effective_date: str
    recorded_at: datetime | None
    ended_at: datetime | None
    ended_because: str
    superseded_by: str | None
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedReference:
    statement_id: str
    is_ok: bool


@dataclass(frozen=True, slots=True)
class CheckedReferences:
    """In the order asked, on the view they were checked at."""

    items: tuple[CheckedReference, ...]
    view_id: str


@dataclass(frozen=True, slots=True)
class Export:
    id: str
    base_id: str
    format: str
    status: str
    revision: str
    size_bytes: int
    sha256: str
    counts: tuple[tuple[str, int], ...]
    created_at: datetime | None
    expires_at: datetime | None
