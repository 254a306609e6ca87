"""Who and what is named, and which two may be one."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.records.statements import Statement


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
