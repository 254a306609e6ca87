"""The engine that answered, and its knowledge bases."""

from dataclasses import dataclass
from datetime import datetime


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
