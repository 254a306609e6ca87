"""Documents, their versions, and what was read of each."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.vocabulary import Band


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
    has_original: bool = True
    """False where a package brought it: its text is here, its bytes are not."""


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
