"""What agents get, as typed shapes. Their schemas are in the OpenAPI document and in the tools of MCP."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

type AbstentionCode = Literal["no_match", "only_unverified", "contested", "stale", "unavailable"]


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Looked(Shape):
    """One place that was looked through."""

    what: str = Field(description="statements, summaries of sources, raw lines of sources, or an entity's statements")
    found: int = Field(description="How many of them may be shown to this caller.")


class Abstention(Shape):
    """Why no settled answer can be given, and what was looked at."""

    code: AbstentionCode
    sentence: str
    looked_at: list[Looked]


class Answer(Shape):
    """What every answer carries."""

    admitted_at: str = Field(description="When everything below was last read, RFC 3339, UTC.")
    view_id: str = Field(description="The state of the knowledge base that was read.")
    abstention: Abstention | None = Field(description="Set when no settled answer can be given; null otherwise.")


class StatementShape(Shape):
    id: str
    citation: str = Field(description="Cite the statement by this line.")
    statement: str
    subject: str
    attribute_key: str
    attribute_value: str
    support: str = Field(description="direct_fact, supported_inference, uncertain_inference, unverified_claim, unknown")
    confidence: float
    status: str = Field(description="active, superseded, disputed, unresolved, stale or unknown")
    contested: bool = Field(description="Sources disagree; do not report it as settled.")
    effective_date: str
    superseded_by: str | None = Field(description="The statement that took its place, where that may be shown.")
    evidence_count: int


class EvidenceShape(Shape):
    id: str
    statement_id: str
    source_id: str
    source: str
    path: str
    location: str
    excerpt: str = Field(description="The exact words of the source.")
    excerpt_hash: str
    version: str
    start: int
    end: int


class ConflictShape(Shape):
    """Sources that disagree. A suggestion is never applied."""

    id: str
    type: str
    about: str
    description: str
    suggestion: str = Field(description="A reason, NOT APPLIED; empty when there is none.")
    competing: list[StatementShape]
    not_shown: int = Field(description="Competing statements this caller may not be shown.")


class PastShape(Shape):
    statement_id: str
    statement: str
    support: str
    status: str
    effective_date: str
    recorded_at: str
    ended_at: str
    ended_because: str


class EntityShape(Shape):
    id: str
    name: str
    type: str


class HitShape(Shape):
    statement: StatementShape
    snippet: str
    why: str = Field(description="Which words matched.")
    score: float = Field(description="Compares within this answer alone.")


class SearchAnswer(Answer):
    hits: list[HitShape]
    backend: str


class RelationshipShape(Shape):
    """An uncontested statement of the context that joins two of its entities."""

    type: str
    source: EntityShape
    target: EntityShape
    statement_id: str


class ContextAnswer(Answer):
    text: str = Field(description="The whole context: conflicts first, then facts with evidence, then citable lines.")
    digest: str = Field(description="SHA-256 of the text.")
    facts: int
    conflicts: int
    truncated: bool
    left_out: int
    degradation: list[str]
    citations: list[str]
    relationships: list[RelationshipShape]


class GetAnswer(Answer):
    statement: StatementShape
    evidence: list[EvidenceShape] = Field(description="Empty: its supporting text could not be located.")
    conflicts: list[ConflictShape]
    history: list[PastShape]


class EvidenceAnswer(Answer):
    statement_id: str
    evidence: list[EvidenceShape]


class SummaryShape(Shape):
    source_id: str
    path: str
    title: str
    sentences: list[str]


class RawShape(Shape):
    source_id: str
    path: str
    location: str
    lines: list[str]


class RecallAnswer(Answer):
    tier: str = Field(description="What answered: statements, summaries, raw or nothing.")
    hits: list[HitShape]
    summaries: list[SummaryShape]
    raw: list[RawShape]


class StepShape(Shape):
    statement: StatementShape
    from_id: str | None
    to_id: str | None
    inverse: bool = Field(description="Reached from its far end.")
    depth: int


class NeighborsAnswer(Answer):
    entity: EntityShape
    entities: list[EntityShape]
    edges: list[StepShape]
    truncated: bool


class WalkAnswer(Answer):
    entity: EntityShape
    steps: list[StepShape]


class ListAnswer(Answer):
    items: list[StatementShape]
    next_cursor: str


class CheckedShape(Shape):
    statement_id: str
    verdict: Literal["holds", "contested", "unavailable"]


class CheckAnswer(Answer):
    items: list[CheckedShape]
