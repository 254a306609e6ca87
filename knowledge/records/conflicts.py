"""Where sources disagree, and statements read whole with what contests them."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.records.entities import Entity
from knowledge.records.pages import Page
from knowledge.records.statements import Statement
from knowledge.vocabulary import ConflictStatus


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

    ``conflicts`` hold their competing statements whole; ``successors`` are what superseded the items, and what
    superseded those. A plain ``Page`` says nothing about any of it.
    """

    conflicts: tuple[Conflict, ...] = ()
    related: tuple[Entity, ...] = ()
    successors: tuple[Statement, ...] = ()
