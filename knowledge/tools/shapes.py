"""What agents get, as typed shapes. Their schemas are in the OpenAPI document and in the tools of MCP."""

from typing import Any, Literal

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


class Kept(Answer):
    """An answer that is frozen as a package, byte for byte."""

    package: str = Field(description="Read it again, check it and cite by this id.")
    manifest_digest: str = Field(description="SHA-256 of its manifest, which names every version and digest in it.")


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


class ContextAnswer(Kept):
    text: str = Field(description="The whole context: conflicts first, then facts with evidence, then citable lines.")
    digest: str = Field(description="SHA-256 of the text.")
    facts: int
    conflicts: int
    truncated: bool
    left_out: int
    degradation: list[str]
    citations: list[str]
    relationships: list[RelationshipShape]
    packet: dict[str, Any] | None = Field(description="retrieval-contract-v1 for the same question, where asked for.")


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
    verdict: Literal["holds", "contested", "superseded", "unavailable"] = Field(
        description="superseded only where its successor may be read."
    )
    successor: str


class CheckAnswer(Answer):
    package: str
    digest: str = Field(description="Of the package that was checked; empty for references.")
    items: list[CheckedShape]


class OpenAnswer(Answer):
    statement_id: str
    text: str = Field(description="The exact words of the source at the span.")
    parent: str = Field(description="The whole passage around it, where that was asked for.")


class LeftOut(Shape):
    statement_id: str
    why: Literal["evidence_unavailable", "capacity"]


class AdmissionAnswer(Kept):
    status: Literal["admitted", "partial", "no_evidence", "refused"]
    grounding: str = Field(description="'not grounded' where there is no evidence: a closed-book answer must say so.")
    prompt: str = Field(description="The exact prompt; empty when refused.")
    prompt_digest: str = Field(description="SHA-256 of the prompt.")
    tokenizer: str = Field(description="What the lengths are counted by; utf8-bytes unless the operator named one.")
    evidence_size: int
    prompt_size: int
    citations: list[str]
    left_out: list[LeftOut]
    envelope: dict[str, Any] = Field(description="The delivery, retrieval-capstone-v1.")


class FindingShape(Shape):
    kind: str
    sentence: str
    what: str
    cited: list[str]


class CitationAnswer(Answer):
    """An answer held to what was given for it, by words alone."""

    package: str
    holds: bool = Field(description="Something was cited, and nothing was found wrong with what cites.")
    grounding: str
    cited_and_admitted: list[str]
    cited_never_admitted: list[str]
    admitted_uncited: list[str]
    unsourced: list[str] = Field(description="Sentences that cite nothing.")
    findings: list[FindingShape]


class PackageAnswer(Answer):
    package: str
    uri: str
    state: Literal["held", "evidence_unavailable"]
    kind: str = Field(description="context or admission")
    status: str = Field(description="Of an admission: admitted, partial, no_evidence or refused.")
    attempt: str
    digest: str = Field(description="SHA-256 of the text as it was handed out.")
    manifest_digest: str
    manifest: dict[str, Any] = Field(description="Ids, versions and digests; empty while the evidence is unavailable.")
    text: str = Field(description="The same bytes as when it was frozen; empty while the evidence is unavailable.")
    outcomes: list[str] = Field(description="What its consumer told, oldest first.")


class OutcomeAnswer(Answer):
    package: str
    status: str = Field(description="The package's own status, which an outcome never changes.")
    outcome: str
    grounding: str = Field(description="grounded or not grounded, for an answer; empty for what is none.")


class CorrectionShape(Shape):
    id: str
    at: str
    cause: str = Field(description="ruling, undo or lifecycle")
    statement_id: str
    verdict: str = Field(description="holds, contested, superseded or unavailable")
    successor: str
    packages: list[str] = Field(description="The caller's own packages that hold it.")


class CorrectionsAnswer(Answer):
    items: list[CorrectionShape]
    next_cursor: str = Field(description="Ask with this the next time; each correction comes exactly once.")
    more: bool


class HistoryAnswer(Answer):
    statement_id: str
    items: list[PastShape]
