"""The records of a package as another installation may write them: what is read of each, and how long it may be."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from forager.extraction.model import Claim
from forager.parsing.document import Block, Excluded, ParseWarning

Id = Annotated[str, Field(min_length=1, max_length=40)]
Line = Annotated[str, Field(max_length=300)]
Words = Annotated[str, Field(max_length=500)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Path = Annotated[str, Field(min_length=1, max_length=1000)]
Moment = Annotated[str, Field(max_length=40)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Band = Literal["tenant", "general"]
Support = Literal["direct_fact", "supported_inference", "uncertain_inference", "unverified_claim"]


class DocumentRow(TypedDict):
    id: Id
    path: Path
    state: Annotated[str, Field(max_length=20)]
    owner: Annotated[str, Field(max_length=200)]
    band: Band
    authoritative: bool
    review_by: NotRequired[Annotated[str, Field(max_length=10)]]


class SourceRow(TypedDict):
    id: Id
    document_id: Id
    parent_id: NotRequired[Id | None]
    sequence: Count
    path: Path
    title: Words
    source_type: Annotated[str, Field(max_length=20)]
    media_type: Annotated[str, Field(max_length=100)]
    content_hash: Hash
    size_bytes: Count
    document_date: Annotated[str, Field(max_length=40)]
    document_date_from: Annotated[str, Field(max_length=100)]
    encoding: Annotated[str, Field(max_length=40)]
    warnings: list[ParseWarning]
    text_hash: str


class Silent(TypedDict):
    locator: Line
    reason: Line


class LedgerRow(TypedDict):
    unit: Annotated[str, Field(max_length=40)]
    units: Count
    read: Count
    skipped: Count
    silent: list[Silent]


class TextRow(TypedDict):
    source_id: Id
    text: str
    text_hash: Hash
    blocks: list[Block]
    excluded: list[Excluded]
    metadata: dict[str, str]
    ledger: LedgerRow


class StatementRow(TypedDict):
    id: Id
    type: Annotated[str, Field(max_length=20)]
    statement: Annotated[str, Field(min_length=1)]
    subject: Line
    subject_origin: Annotated[str, Field(max_length=20)]
    attribute_key: Words
    attribute_value: Words
    frame: dict[str, Any] | None
    support: Support
    support_reason: Line
    confidence: Share
    effective_date: Annotated[str, Field(max_length=40)]
    extractor_name: Annotated[str, Field(max_length=60)]
    extractor_version: Annotated[str, Field(max_length=20)]
    flags: list[Annotated[str, Field(max_length=40)]]


class EvidenceRow(TypedDict):
    id: Id
    statement_id: Id
    source_id: Id
    location: Words
    locator: dict[str, str | int]
    start: Count
    end: Count
    excerpt: str
    excerpt_hash: Hash


class ClaimsRow(TypedDict):
    evidence_id: Id
    statement_id: Id
    confidence: Share
    claims: list[Claim]


class MentionRow(TypedDict):
    statement_id: Id
    name: Line
    type: Annotated[str, Field(max_length=30)]
    facts: list[tuple[str, str]]


class Names(TypedDict):
    """What a decision about entities rests on: the names of both, the main one first."""

    a: Annotated[list[Line], Field(min_length=1)]
    b: Annotated[list[Line], Field(min_length=1)]


class DecisionRow(TypedDict):
    id: Id
    kind: Literal["ruling", "entities"]
    action: Annotated[str, Field(max_length=30)]
    anchor: dict[str, Any]
    winner: Annotated[int, Field(ge=0, le=1000)] | None
    discriminator: dict[str, Any] | None
    assignee: Annotated[str, Field(max_length=200)]
    notes: str
    actor: Annotated[str, Field(max_length=200)]
    state: Annotated[str, Field(max_length=20)]
    decided_at: Moment


class OriginRow(TypedDict):
    kind: Literal["document", "source", "statement", "evidence", "decision"]
    record_id: Id
    instance_id: Id
    origin_id: Id


class Producer(TypedDict):
    engine: Line
    instance_id: Id
    generation: Id


class Project(TypedDict):
    id: Id
    name: Annotated[str, Field(max_length=200)]
    words: NotRequired[dict[str, Any]]


class PackedRevision(TypedDict):
    id: Id | None
    sequence: Count
    logical_content_hash: Annotated[str, Field(max_length=64)]


class FileRow(TypedDict):
    sha256: Hash
    bytes: Count
    records: Count


class Manifest(TypedDict):
    package_version: int
    producer: Producer
    project: Project
    revision: PackedRevision
    counts: dict[str, int]
    bands: dict[str, dict[str, int]]
    files: dict[str, FileRow]
