"""Files out of a base, and packages into one."""

from dataclasses import dataclass
from datetime import datetime


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
    error: str = ""
    """Why there is no file, in the engine's words."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What comes of the records of one kind; kept is what stands here against the package."""

    adds: int
    updates: int
    skips: int
    keeps: int


@dataclass(frozen=True, slots=True)
class ImportExample:
    """One record; ``what`` is adds, updates, skips or keeps. ``why`` is empty where it simply comes in."""

    kind: str
    what: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """``general`` and ``governing``: of the documents that are added, those open to all and those that govern."""

    documents: Tally
    statements: Tally
    decisions: Tally
    general: int
    governing: int
    examples: tuple[ImportExample, ...]


@dataclass(frozen=True, slots=True)
class Import:
    """A package that was handed in. ``plan`` is what it would do, ``outcome`` what it did; None until there is one."""

    id: str
    base_id: str
    status: str
    size_bytes: int
    sha256: str
    producer_id: str
    producer_base: str
    producer_revision: int
    plan: ImportPlan | None
    outcome: ImportPlan | None
    job_id: str
    actor: str
    error: str
    created_at: datetime | None
    expires_at: datetime | None
    finished_at: datetime | None
