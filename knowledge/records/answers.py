"""What ranked reads answer: search, recall, neighbours and the walk."""

from dataclasses import dataclass

from knowledge.records.statements import EntityRef, Statement


@dataclass(frozen=True, slots=True)
class Route:
    """Where a hit came from; scores of different routes do not compare."""

    route: str
    method: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    statement: Statement
    score: float
    snippet: str
    why: str
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    query: str
    backend: str
    index_version: str
    strategy: str
    view_id: str
    took_ms: float
    entities: tuple[EntityRef, ...]
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source as they stand at ``start`` to ``end``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """A source in its own words; ``matched_words`` are those of the question that stand in it."""

    source_id: str
    source_path: str
    title: str
    headings: tuple[str, ...]
    sentences: tuple[Quote, ...]
    matched_words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RawLines:
    source_id: str
    source_path: str
    chunk_id: str
    location: str
    lines: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """``tier`` is the one that answered (statements, summaries, raw, nothing); ``looked`` counts what each one had."""

    query: str
    tier: str
    looked: tuple[tuple[str, int], ...]
    backend: str
    view_id: str
    hits: tuple[Hit, ...]
    summaries: tuple[SourceSummary, ...]
    raw: tuple[RawLines, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A statement as an edge from its subject. ``is_inverse``: it was reached from its far end."""

    statement: Statement
    from_id: str | None
    to_id: str | None
    type: str
    is_inverse: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """``entities`` come with how many statements away they are, the one asked about with 0."""

    entity: EntityRef
    entities: tuple[tuple[EntityRef, int], ...]
    edges: tuple[Edge, ...]
    is_truncated: bool
    view_id: str


@dataclass(frozen=True, slots=True)
class WalkStep:
    """``score`` is (1 + words of the question it says) x confidence; ``round`` is when the walk took it."""

    statement: Statement
    from_id: str | None
    to_id: str | None
    is_inverse: bool
    round: int
    score: float


@dataclass(frozen=True, slots=True)
class Walk:
    entity: EntityRef
    query: str
    steps: tuple[WalkStep, ...]
    view_id: str
