"""Statements with what they rest on, what they were before, and whether they still stand."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.vocabulary import Band, Status, Support


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
class PastVersion:
    """One reading of a statement or of what it is about; ``ended_because`` is empty while it holds."""

    statement_id: str
    band: Band
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
