"""The seam between the console and whatever answers for knowledge.

Two implementations stand in ``knowledge.engine.providers``: one over HTTP and one that refuses (disabled or
unconfigured). Every base-level method takes a scope first and answers an ``Outcome``; none raises.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from knowledge.failures import Outcome
from knowledge.records import (
    Base,
    CheckedReferences,
    Conflict,
    Document,
    Engine,
    Entity,
    Evidence,
    Export,
    FeedPage,
    Import,
    ImportedFolder,
    Job,
    MergeCandidate,
    Neighbours,
    Page,
    PastVersion,
    RecallResult,
    SearchResult,
    Source,
    SourceBrief,
    SourceText,
    Standing,
    Statement,
    Uploaded,
    Walk,
)
from knowledge.reviewing import (
    Brief,
    Grounds,
    PairBrief,
    Queue,
    ReviewEvent,
    Ruled,
    RulingOutcome,
    StatementBrief,
    StoredDecision,
)
from knowledge.scope import KnowledgeScope


@dataclass(frozen=True, slots=True)
class UploadFile:
    """A file on its way in: ``path`` is relative with forward slashes, ``content`` is read once."""

    path: str
    content: BinaryIO


@dataclass(frozen=True, slots=True)
class StatementFilter:
    """Facets of the statement list; empty means any. ``as_of`` and ``known_at`` as in ``Within``.

    ``whole``: with evidence, entities and conflicts, in the same read.
    """

    support: str = ""
    status: str = ""
    entity: str = ""
    source: str = ""
    attribute_key: str = ""
    cursor: str = ""
    page_size: int = 50
    type: str = ""
    band: str = ""
    as_of: str = ""
    known_at: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Facets:
    """Exact conditions on what a search finds; empty means any. ``band`` narrows what the scope may read, only."""

    support: str = ""
    status: str = ""
    type: str = ""
    entity: str = ""
    source: str = ""
    band: str = ""


@dataclass(frozen=True, slots=True)
class Within:
    """What a ranked read may see. ``as_of`` is an ISO day, ``known_at`` an RFC 3339 time, ``max_age`` days (-1 any)."""

    include_historical: bool = False
    min_support: str = ""
    as_of: str = ""
    known_at: str = ""
    max_age: int = -1


@dataclass(frozen=True, slots=True)
class Reference:
    """What is held of a statement; every part that is given must still be so."""

    statement_id: str
    evidence_id: str = ""
    source_id: str = ""
    version: str = ""
    excerpt_hash: str = ""
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Trail:
    """What of the decisions is asked for; empty means any. Times are RFC 3339, ``until`` does not count itself."""

    actor: str = ""
    since: str = ""
    until: str = ""


EVERYTHING = Within()
ANY = Facets()
WHOLE_TRAIL = Trail()


@dataclass(frozen=True, slots=True)
class Naming:
    """Who decides about names, and why. ``expected_digest`` binds a decision on a candidate to what was read."""

    actor: str
    notes: str
    expected_digest: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A ruling to record. ``expected_digest`` binds it to what was read; a moved digest is a ``conflict`` failure."""

    action: str
    actor: str
    notes: str
    expected_digest: str
    side_id: str = ""
    discriminator_kind: str = ""
    discriminator_value: str = ""
    assignee: str = ""
    actor_key: str = ""


@dataclass(frozen=True, slots=True)
class BulkItem:
    """One conflict of a list that gets the same ruling: its own digest, and its own side where one is chosen."""

    conflict_id: str
    expected_digest: str
    side_id: str = ""


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What of the review queue is asked for; empty means any. ``tab`` is open, assigned, maybe or solved."""

    tab: str = "open"
    type: str = ""
    attribute: str = ""
    assignee: str = ""
    min_sources: int = 0
    older_than: int = 0


@dataclass(frozen=True, slots=True)
class StateChange:
    """A step of a document's lifecycle, with the person's own words and one of the reasons the step knows."""

    state: str
    actor: str
    reason: str
    reason_code: str = ""


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    band: str
    authoritative: bool
    owner: str
    actor: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Download:
    """A streamed file. ``close`` when done; iterating to the end closes by itself."""

    name: str
    media_type: str
    size_bytes: int | None
    chunks: Iterator[bytes] = field(repr=False)


class KnowledgeProvider(Protocol):
    """What pages, tools and the API may ask. Methods without a scope concern the engine itself."""

    def ready(self) -> Outcome[str]: ...
    def engine(self) -> Outcome[Engine]: ...
    def bases(self) -> Outcome[Page[Base]]: ...
    def feed(self, *, cursor: str = "", limit: int = 100) -> Outcome[FeedPage]:
        """Of every base the credential may read, for the one who follows it; a cursor that is gone is *invalid*.

        ``fields`` then hold ``code`` ``cursor_expired`` and ``oldest``, where reading may go on.
        """
        ...

    def create_base(self, *, name: str, description: str) -> Outcome[Base]: ...

    def base(self, scope: KnowledgeScope) -> Outcome[Base]: ...
    def sources(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, q: str = ""
    ) -> Outcome[Page[Source]]: ...
    def source(self, scope: KnowledgeScope, source_id: str) -> Outcome[Source]: ...
    def source_brief(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceBrief]: ...
    def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]: ...
    def source_content(self, scope: KnowledgeScope, source_id: str) -> Outcome[Download]: ...
    def upload(self, scope: KnowledgeScope, files: Iterable[UploadFile]) -> Outcome[Uploaded]: ...
    def import_folder(self, scope: KnowledgeScope, path: str) -> Outcome[ImportedFolder]: ...

    def document(self, scope: KnowledgeScope, document_id: str) -> Outcome[Document]: ...
    def change_state(self, scope: KnowledgeScope, document_id: str, change: StateChange) -> Outcome[Document]: ...
    def edit_document(self, scope: KnowledgeScope, document_id: str, edit: DocumentEdit) -> Outcome[Document]: ...

    def process(self, scope: KnowledgeScope, *, force: bool = False) -> Outcome[Job]: ...
    def jobs(self, scope: KnowledgeScope, *, page_size: int = 10) -> Outcome[Page[Job]]: ...
    def job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]: ...
    def cancel_job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]: ...
    def retry_job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]: ...

    def statements(self, scope: KnowledgeScope, where: StatementFilter) -> Outcome[Page[Statement]]: ...
    def statements_by_id(
        self, scope: KnowledgeScope, ids: Sequence[str], *, known_at: str = ""
    ) -> Outcome[Page[Statement]]: ...
    def statement(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Statement]: ...
    def statement_brief(self, scope: KnowledgeScope, statement_id: str) -> Outcome[StatementBrief]: ...
    def grounds(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Grounds]: ...
    def evidence(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[Evidence]]: ...
    def search(
        self,
        scope: KnowledgeScope,
        query: str,
        *,
        limit: int = 20,
        include_historical: bool = False,
        min_support: str = "",
        as_of: str = "",
        known_at: str = "",
        facets: Facets = ANY,
    ) -> Outcome[SearchResult]: ...
    def recall(
        self,
        scope: KnowledgeScope,
        query: str,
        *,
        min_hits: int = 1,
        limit: int = 20,
        within: Within = EVERYTHING,
    ) -> Outcome[RecallResult]: ...
    def walk(
        self,
        scope: KnowledgeScope,
        entity: str,
        query: str,
        *,
        budget: int = 20,
        beam: int = 4,
        within: Within = EVERYTHING,
    ) -> Outcome[Walk]: ...
    def neighbours(
        self, scope: KnowledgeScope, entity: str, *, depth: int = 1, limit: int = 100, within: Within = EVERYTHING
    ) -> Outcome[Neighbours]: ...
    def history(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[PastVersion]]: ...
    def check_references(
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]: ...
    def standing(self, scope: KnowledgeScope, references: Sequence[Reference]) -> Outcome[Standing]:
        """At most 200 references at once."""
        ...

    def entities(self, scope: KnowledgeScope, *, q: str = "", cursor: str = "") -> Outcome[Page[Entity]]: ...
    def entity(self, scope: KnowledgeScope, entity_id: str) -> Outcome[Entity]: ...

    def merge_candidates(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = ""
    ) -> Outcome[Page[MergeCandidate]]: ...
    def merge_candidate(
        self, scope: KnowledgeScope, candidate_id: str, *, status: str = "open"
    ) -> Outcome[PairBrief]: ...
    def decide_candidate(
        self, scope: KnowledgeScope, candidate_id: str, naming: Naming, *, is_one: bool
    ) -> Outcome[MergeCandidate]: ...
    def join_entities(
        self, scope: KnowledgeScope, entity_id: str, other_id: str, naming: Naming
    ) -> Outcome[Entity]: ...
    def separate_name(self, scope: KnowledgeScope, entity_id: str, alias: str, naming: Naming) -> Outcome[Entity]: ...

    def conflicts(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = "", page_size: int = 50
    ) -> Outcome[Page[Conflict]]: ...
    def conflict(self, scope: KnowledgeScope, conflict_id: str) -> Outcome[Conflict]: ...
    def resolve(self, scope: KnowledgeScope, conflict_id: str, decision: Decision) -> Outcome[Ruled]: ...
    def resolve_each(
        self, scope: KnowledgeScope, items: Sequence[BulkItem], decision: Decision
    ) -> Outcome[tuple[RulingOutcome, ...]]: ...
    def reopen(
        self, scope: KnowledgeScope, conflict_id: str, *, actor: str, notes: str, expected_decision: str = ""
    ) -> Outcome[Conflict]: ...
    def queue(
        self, scope: KnowledgeScope, where: QueueFilter, *, cursor: str = "", after: str = "", page_size: int = 50
    ) -> Outcome[Queue]: ...
    def queued(self, scope: KnowledgeScope, conflict_ids: Sequence[str]) -> Outcome[Queue]: ...
    def brief(self, scope: KnowledgeScope, conflict_id: str, where: QueueFilter) -> Outcome[Brief]: ...
    def ask_two(self, scope: KnowledgeScope, *, is_asked: bool) -> Outcome[Base]: ...
    def note_served(
        self, scope: KnowledgeScope, *, package_id: str, agent: str, statement_ids: Sequence[str]
    ) -> Outcome[int]: ...
    def decisions(self, scope: KnowledgeScope, *, state: str = "") -> Outcome[Page[StoredDecision]]: ...
    def review_events(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, where: Trail = WHOLE_TRAIL
    ) -> Outcome[Page[ReviewEvent]]: ...

    def exports(self, scope: KnowledgeScope) -> Outcome[Page[Export]]: ...
    def create_export(self, scope: KnowledgeScope, *, format: str) -> Outcome[Export]: ...
    def export(self, scope: KnowledgeScope, export_id: str) -> Outcome[Export]: ...
    def export_content(self, scope: KnowledgeScope, export_id: str) -> Outcome[Download]: ...

    def imports(self, scope: KnowledgeScope) -> Outcome[Page[Import]]: ...
    def hand_in(self, scope: KnowledgeScope, package: UploadFile, *, actor: str) -> Outcome[Import]: ...
    def import_(self, scope: KnowledgeScope, import_id: str) -> Outcome[Import]: ...
    def apply_import(self, scope: KnowledgeScope, import_id: str, *, actor: str) -> Outcome[Import]: ...
    def drop_import(self, scope: KnowledgeScope, import_id: str) -> Outcome[Import]: ...
