"""The provider that refuses: knowledge is switched off, not configured, or no scope could be resolved."""

from collections.abc import Iterable, Sequence

from knowledge.failures import Failed, Failure
from knowledge.provider import (
    ANY,
    EVERYTHING,
    WHOLE_TRAIL,
    BulkItem,
    Decision,
    DocumentEdit,
    Facets,
    Naming,
    QueueFilter,
    Reference,
    StateChange,
    StatementFilter,
    Trail,
    UploadFile,
    Within,
)
from knowledge.scope import KnowledgeScope


class NullProvider:
    """Every method answers the same refusal; ``reason`` tells an operator what to do about it."""

    def __init__(self, reason: str, failure: Failure = Failure.DISABLED) -> None:
        self._refusal = Failed(failure, reason)

    def ready(self) -> Failed:
        return self._refusal

    def engine(self) -> Failed:
        return self._refusal

    def bases(self) -> Failed:
        return self._refusal

    def create_base(self, *, name: str, description: str) -> Failed:
        return self._refusal

    def base(self, scope: KnowledgeScope) -> Failed:
        return self._refusal

    def sources(self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, q: str = "") -> Failed:
        return self._refusal

    def source(self, scope: KnowledgeScope, source_id: str) -> Failed:
        return self._refusal

    def source_brief(self, scope: KnowledgeScope, source_id: str) -> Failed:
        return self._refusal

    def source_text(self, scope: KnowledgeScope, source_id: str) -> Failed:
        return self._refusal

    def source_content(self, scope: KnowledgeScope, source_id: str) -> Failed:
        return self._refusal

    def upload(self, scope: KnowledgeScope, files: Iterable[UploadFile]) -> Failed:
        return self._refusal

    def import_folder(self, scope: KnowledgeScope, path: str) -> Failed:
        return self._refusal

    def feed(self, *, cursor: str = "", limit: int = 100) -> Failed:
        return self._refusal

    def document(self, scope: KnowledgeScope, document_id: str) -> Failed:
        return self._refusal

    def change_state(self, scope: KnowledgeScope, document_id: str, change: StateChange) -> Failed:
        return self._refusal

    def edit_document(self, scope: KnowledgeScope, document_id: str, edit: DocumentEdit) -> Failed:
        return self._refusal

    def process(self, scope: KnowledgeScope, *, force: bool = False) -> Failed:
        return self._refusal

    def jobs(self, scope: KnowledgeScope, *, page_size: int = 10) -> Failed:
        return self._refusal

    def job(self, scope: KnowledgeScope, job_id: str) -> Failed:
        return self._refusal

    def cancel_job(self, scope: KnowledgeScope, job_id: str) -> Failed:
        return self._refusal

    def retry_job(self, scope: KnowledgeScope, job_id: str) -> Failed:
        return self._refusal

    def statements(self, scope: KnowledgeScope, where: StatementFilter) -> Failed:
        return self._refusal

    def statements_by_id(self, scope: KnowledgeScope, ids: Sequence[str], *, known_at: str = "") -> Failed:
        return self._refusal

    def statement(self, scope: KnowledgeScope, statement_id: str) -> Failed:
        return self._refusal

    def statement_brief(self, scope: KnowledgeScope, statement_id: str) -> Failed:
        return self._refusal

    def grounds(self, scope: KnowledgeScope, statement_id: str) -> Failed:
        return self._refusal

    def evidence(self, scope: KnowledgeScope, statement_id: str) -> Failed:
        return self._refusal

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
    ) -> Failed:
        return self._refusal

    def recall(
        self,
        scope: KnowledgeScope,
        query: str,
        *,
        min_hits: int = 1,
        limit: int = 20,
        within: Within = EVERYTHING,
    ) -> Failed:
        return self._refusal

    def walk(
        self,
        scope: KnowledgeScope,
        entity: str,
        query: str,
        *,
        budget: int = 20,
        beam: int = 4,
        within: Within = EVERYTHING,
    ) -> Failed:
        return self._refusal

    def neighbours(
        self, scope: KnowledgeScope, entity: str, *, depth: int = 1, limit: int = 100, within: Within = EVERYTHING
    ) -> Failed:
        return self._refusal

    def history(self, scope: KnowledgeScope, statement_id: str) -> Failed:
        return self._refusal

    def check_references(
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Failed:
        return self._refusal

    def standing(self, scope: KnowledgeScope, references: Sequence[Reference]) -> Failed:
        return self._refusal

    def entities(self, scope: KnowledgeScope, *, q: str = "", cursor: str = "") -> Failed:
        return self._refusal

    def entity(self, scope: KnowledgeScope, entity_id: str) -> Failed:
        return self._refusal

    def merge_candidates(self, scope: KnowledgeScope, *, status: str = "", cursor: str = "") -> Failed:
        return self._refusal

    def merge_candidate(self, scope: KnowledgeScope, candidate_id: str, *, status: str = "open") -> Failed:
        return self._refusal

    def decide_candidate(self, scope: KnowledgeScope, candidate_id: str, naming: Naming, *, is_one: bool) -> Failed:
        return self._refusal

    def join_entities(self, scope: KnowledgeScope, entity_id: str, other_id: str, naming: Naming) -> Failed:
        return self._refusal

    def separate_name(self, scope: KnowledgeScope, entity_id: str, alias: str, naming: Naming) -> Failed:
        return self._refusal

    def conflicts(self, scope: KnowledgeScope, *, status: str = "", cursor: str = "", page_size: int = 50) -> Failed:
        return self._refusal

    def conflict(self, scope: KnowledgeScope, conflict_id: str) -> Failed:
        return self._refusal

    def resolve(self, scope: KnowledgeScope, conflict_id: str, decision: Decision) -> Failed:
        return self._refusal

    def resolve_each(self, scope: KnowledgeScope, items: Sequence[BulkItem], decision: Decision) -> Failed:
        return self._refusal

    def reopen(
        self, scope: KnowledgeScope, conflict_id: str, *, actor: str, notes: str, expected_decision: str = ""
    ) -> Failed:
        return self._refusal

    def queue(
        self, scope: KnowledgeScope, where: QueueFilter, *, cursor: str = "", after: str = "", page_size: int = 50
    ) -> Failed:
        return self._refusal

    def queued(self, scope: KnowledgeScope, conflict_ids: Sequence[str]) -> Failed:
        return self._refusal

    def brief(self, scope: KnowledgeScope, conflict_id: str, where: QueueFilter) -> Failed:
        return self._refusal

    def ask_two(self, scope: KnowledgeScope, *, is_asked: bool) -> Failed:
        return self._refusal

    def note_served(
        self, scope: KnowledgeScope, *, package_id: str, agent: str, statement_ids: Sequence[str]
    ) -> Failed:
        return self._refusal

    def decisions(self, scope: KnowledgeScope, *, state: str = "") -> Failed:
        return self._refusal

    def review_events(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, where: Trail = WHOLE_TRAIL
    ) -> Failed:
        return self._refusal

    def exports(self, scope: KnowledgeScope) -> Failed:
        return self._refusal

    def create_export(self, scope: KnowledgeScope, *, format: str) -> Failed:  # noqa: A002 - the wire's word
        return self._refusal

    def export(self, scope: KnowledgeScope, export_id: str) -> Failed:
        return self._refusal

    def export_content(self, scope: KnowledgeScope, export_id: str) -> Failed:
        return self._refusal

    def imports(self, scope: KnowledgeScope) -> Failed:
        return self._refusal

    def hand_in(self, scope: KnowledgeScope, package: UploadFile, *, actor: str) -> Failed:
        return self._refusal

    def import_(self, scope: KnowledgeScope, import_id: str) -> Failed:
        return self._refusal

    def apply_import(self, scope: KnowledgeScope, import_id: str, *, actor: str) -> Failed:
        return self._refusal

    def drop_import(self, scope: KnowledgeScope, import_id: str) -> Failed:
        return self._refusal
