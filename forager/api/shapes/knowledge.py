"""Statements, evidence, entities, and what search answers."""

from typing import NotRequired

from typing_extensions import TypedDict


class Frame(TypedDict):
    subject: str
    attribute: str
    value_raw: str
    value: str
    unit: str
    polarity: str
    modality: str
    qualifiers: list[str]
    valid_from: str | None
    valid_to: str | None
    speaker: str | None
    value_type: str
    bound: str
    rule: str


class Evidence(TypedDict):
    id: str
    target_id: str
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
    locator: dict[str, str | int]
    start: int
    end: int
    excerpt: str
    excerpt_hash: str
    extractor_name: str
    extractor_version: str
    model_name: str | None
    confidence: float
    missing_excerpt: bool


class EntityRef(TypedDict):
    id: str
    canonical_name: str
    type: str


class EntryShape(TypedDict):
    """Which entry of the word lists decided the attribute, the value or a side; ``added`` ones are the base's own."""

    what: str
    word: str
    entry: str
    added: bool


class PastVersion(TypedDict):
    """One reading of a statement or of what it is about. ``ended_because`` is empty while it holds.

    ``scope`` is general where everything it ever rested on is; else, and where it rests on nothing, tenant.
    """

    item_id: str
    scope: str
    statement: str
    attribute_key: str | None
    attribute_value: str | None
    support: str
    confidence: float
    status: str
    effective_date: str | None
    recorded_at: str
    revision_from: int
    revision_to: int | None
    ended_at: str | None
    ended_because: str
    superseded_by: str | None
    source_ids: list[str]


class Relationship(TypedDict):
    """A statement that joins two entities: ``type`` is its attribute. It has no life of its own."""

    id: str
    type: str
    from_id: str
    to_id: str
    item_id: str
    statement: str
    support: str
    confidence: float
    evidence_ids: list[str]


class Item(TypedDict):
    id: str
    project_id: str
    type: str
    subject: str
    subject_origin: str
    title: str
    statement: str
    attribute_key: str | None
    attribute_value: str | None
    frame: Frame | None
    entries: list[EntryShape]
    flags: list[str]
    support: str
    support_reason: str
    confidence: float
    status: str
    scope: str
    entity_ids: list[str]
    effective_date: str | None
    recorded_at: str
    extractor_name: str
    extractor_version: str
    review_status: str
    superseded_by: str | None
    evidence_count: int
    origins: int
    document_ids: list[str]
    source_ids: list[str]
    conflict_ids: NotRequired[list[str]]
    entities: NotRequired[list[EntityRef]]
    relationships: NotRequired[list[Relationship]]
    evidence: NotRequired[list[Evidence]]
    history: NotRequired[list[PastVersion]]


class AliasShape(TypedDict):
    """``separable`` says that it is a name of its own, which a person may take out again."""

    alias: str
    kind: str
    reason: str
    confidence: float
    separable: bool


class Entity(TypedDict):
    id: str
    project_id: str
    type: str
    canonical_name: str
    aliases: list[AliasShape]
    confidence: float
    status: str
    mention_count: int
    knowledge_count: int


class Parsed(TypedDict):
    identifiers: list[str]
    dates: list[str]
    fields: dict[str, str]
    words: list[str]


class RouteHit(TypedDict):
    route: str
    method: str
    rank: int
    score: float


class Hit(TypedDict):
    item: Item
    score: float
    snippet: str
    why: str
    matched_fields: list[str]
    routes: list[RouteHit]


class ChunkHit(TypedDict):
    chunk_id: str
    source_id: str
    score: float
    snippet: str
    locator: dict[str, str | int]


class SearchAnswer(TypedDict):
    query: str
    parsed: Parsed
    backend: str
    index_version: str
    strategy: str
    view_id: str
    took_ms: float
    entities: list[EntityRef]
    knowledge: list[Hit]
    chunks: NotRequired[list[ChunkHit]]


class NearEntity(TypedDict):
    """``depth`` is how many statements away it is; the one asked about has 0."""

    id: str
    canonical_name: str
    type: str
    depth: int


class Edge(TypedDict):
    """A statement as an edge from its subject. ``inverse``: it was reached from its far end."""

    item: Item
    from_id: str | None
    to_id: str | None
    type: str
    inverse: bool
    depth: int


class Neighbors(TypedDict):
    entity: EntityRef
    depth: int
    entities: list[NearEntity]
    edges: list[Edge]
    truncated: bool
    view_id: str


class Step(TypedDict):
    """``score`` is (1 + words of the question it says) x confidence; ``round`` is when the walk took it."""

    item: Item
    from_id: str | None
    to_id: str | None
    inverse: bool
    round: int
    score: float


class Walk(TypedDict):
    entity: EntityRef
    query: str
    budget: int
    beam: int
    steps: list[Step]
    view_id: str


class Stretch(TypedDict):
    """Words of a source; ``start`` and ``end`` are code points of its stored text."""

    text: str
    start: int
    end: int


class SourceSummary(TypedDict):
    """A source in its own words; ``matched_words`` are those of the question that stand in it."""

    project_id: str
    band: str
    source_id: str
    source_path: str
    title: str
    headings: list[str]
    sentences: list[Stretch]
    matched_words: list[str]


class RawLines(TypedDict):
    project_id: str
    band: str
    source_id: str
    source_path: str
    chunk_id: str
    location: str
    locator: dict[str, str | int]
    lines: list[Stretch]


class TierLook(TypedDict):
    tier: str
    hits: int


class Recall(TypedDict):
    """Only the list of the tier that answered holds anything."""

    query: str
    parsed: Parsed
    tier: str
    looked: list[TierLook]
    backend: str
    view_id: str
    knowledge: list[Hit]
    summaries: list[SourceSummary]
    raw: list[RawLines]


class CheckedReference(TypedDict):
    """``unavailable`` whatever the cause: unknown, foreign, withheld, changed."""

    item_id: str
    state: str


class CheckedReferences(TypedDict):
    items: list[CheckedReference]
    view_id: str
