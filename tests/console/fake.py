# ruff: noqa: E501 - signatures of the protocol
"""A whole provider in memory, for tests and for looking at pages without an engine."""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import (
    ANY,
    EVERYTHING,
    Decision,
    DocumentEdit,
    Download,
    Facets,
    Naming,
    Reference,
    StateChange,
    StatementFilter,
    UploadFile,
    Within,
)
from knowledge.records import (
    Base,
    Batch,
    CheckedReference,
    CheckedReferences,
    Document,
    Engine,
    Entity,
    Evidence,
    Export,
    Hit,
    Import,
    ImportedFolder,
    Job,
    MergeCandidate,
    Neighbours,
    Page,
    PastVersion,
    Refused,
    SearchResult,
    Source,
    SourceText,
    Statement,
    Uploaded,
)
from knowledge.reviewing import PairBrief, Place, ReviewEvent, StoredDecision
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import ConflictStatus, JobStatus, Status
from tests.console import falcon
from tests.console.fake_briefs import FakeBriefs
from tests.console.fake_review import GONE

EXPORT_BYTES = b'{"record":"manifest"}\n'


class FakeProvider(FakeBriefs):
    """``engine_outcome`` decides the engine's state; ``failures`` makes single calls fail; ``calls`` counts them."""

    def __init__(self, *, filled: bool = True) -> None:
        self.engine_outcome: Outcome[Engine] = Ok(falcon.engine())
        self.failures: dict[str, Failed] = {}
        self.calls: list[str] = []
        self.asked: list[StatementFilter | Within] = []
        self.known_bases = {"proj_falcon": falcon.base("proj_falcon", "falcon-demo", filled=filled)}
        self.known_sources = falcon.sources() if filled else {}
        self.known_statements = falcon.statements() if filled else {}
        self.known_conflicts = falcon.conflicts() if filled else {}
        self.known_candidates = falcon.candidates() if filled else {}
        self.known_entities = falcon.entities() if filled else {}
        self.known_jobs: list[Job] = [falcon.job(JobStatus.COMPLETED)] if filled else []
        self.known_exports: list[Export] = []
        self.known_imports: list[Import] = []
        self.known_decisions: list[StoredDecision] = []
        self.events: list[ReviewEvent] = []
        self.served: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.second_look = False
        self.first_looks: dict[str, Decision] = {}
        self.lock = threading.Lock()
        self.states: dict[str, str] = {}
        self.folders: list[str] = []
        self.hidden_references: set[str] = set()
        self.deletable = False
        self.long_texts: set[str] = set()

    def ready(self) -> Outcome[str]:
        return self._do("ready", "ok")

    def engine(self) -> Outcome[Engine]:
        self.calls.append("engine")
        return self.engine_outcome

    def bases(self) -> Outcome[Page[Base]]:
        return self._page("bases", self.known_bases.values())

    def create_base(self, *, name: str, description: str) -> Outcome[Base]:
        made = falcon.base(f"proj_{len(self.known_bases)}", name, filled=False)
        outcome = self._do("create_base", made)
        if isinstance(outcome, Ok):
            self.known_bases[made.id] = made
        return outcome

    def base(self, scope: KnowledgeScope) -> Outcome[Base]:
        found = self.known_bases.get(scope.base_id)
        if found is not None:
            open_now = sum(1 for each in self.known_conflicts.values() if each.status is ConflictStatus.OPEN)
            found = replace(found, open_conflict_count=open_now, source_count=len(self.known_sources))
        return self._do("base", found or GONE)

    def sources(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, q: str = ""
    ) -> Outcome[Page[Source]]:
        found = [each for each in self.known_sources.values() if q.lower() in each.path.lower()]
        return self._page("sources", found[:page_size])

    def source(self, scope: KnowledgeScope, source_id: str) -> Outcome[Source]:
        return self._do("source", self.known_sources.get(source_id) or GONE)

    def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]:
        known = source_id in self.known_sources and source_id in falcon.TEXTS
        return self._do("source_text", falcon.text(source_id) if known else GONE)

    def source_content(self, scope: KnowledgeScope, source_id: str) -> Outcome[Download]:
        found = self.known_sources.get(source_id)
        if found is None:
            return self._do("source_content", GONE)
        content = falcon.TEXTS.get(source_id, "").encode()
        return self._do("source_content", Download(found.name, "text/html", len(content), iter([content])))

    def upload(self, scope: KnowledgeScope, files: Iterable[UploadFile]) -> Outcome[Uploaded]:
        taken, refused = [], []
        for file in files:
            file.content.read()
            if file.path.endswith(".exe"):
                refused.append(Refused(file.path, "unsupported_media_type", "Programs are not read.", None))
                continue
            taken.append(falcon.source(f"src_up{len(taken)}", file.path, "txt", "", 0))
        outcome = self._do("upload", Uploaded(tuple(taken), tuple(refused)))
        if isinstance(outcome, Ok):
            self.known_sources |= {each.id: each for each in taken}
        return outcome

    def import_folder(self, scope: KnowledgeScope, path: str) -> Outcome[ImportedFolder]:
        self.folders.append(path)
        refused = (Refused("odd.pipe", "not_a_file", "This is neither a file nor a folder.", None),)
        return self._do("import_folder", ImportedFolder(2, 1, 1, refused))

    def document(self, scope: KnowledgeScope, document_id: str) -> Outcome[Document]:
        return self._do("document", self._known_document(document_id) or GONE)

    def change_state(self, scope: KnowledgeScope, document_id: str, change: StateChange) -> Outcome[Document]:
        found = self._known_document(document_id)
        if found is not None and change.state not in {step.state for step in found.steps}:
            return self._do("change_state", Failed(Failure.CONFLICT, f"This document is {found.state}."))
        outcome = self._do("change_state", replace(found, state=change.state) if found else GONE)
        if isinstance(outcome, Ok):
            self.states[document_id] = change.state
        return outcome

    def edit_document(self, scope: KnowledgeScope, document_id: str, edit: DocumentEdit) -> Outcome[Document]:
        found = self._known_document(document_id)
        return self._do("edit_document", replace(found, owner=edit.owner) if found else GONE)

    def process(self, scope: KnowledgeScope, *, force: bool = False) -> Outcome[Job]:
        outcome = self._do("process", falcon.job(JobStatus.RUNNING, done=4))
        if isinstance(outcome, Ok):
            self.known_jobs.insert(0, outcome.value)
        return outcome

    def jobs(self, scope: KnowledgeScope, *, page_size: int = 10) -> Outcome[Page[Job]]:
        return self._page("jobs", self.known_jobs[:page_size])

    def job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]:
        return self._do("job", next((each for each in self.known_jobs if each.id == job_id), GONE))

    def cancel_job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]:
        return self._do("cancel_job", next((each for each in self.known_jobs if each.id == job_id), GONE))

    def retry_job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]:
        return self._do("retry_job", next((each for each in self.known_jobs if each.id == job_id), GONE))

    def statements(self, scope: KnowledgeScope, where: StatementFilter) -> Outcome[Page[Statement]]:
        items = [
            each
            for each in self.known_statements.values()
            if where.source in ("", *each.source_ids)
            and where.attribute_key in ("", each.attribute_key)
            and _meets(each, where)
        ]
        self.asked.append(where)
        bare = items if where.whole else [replace(each, evidence=(), entities=(), conflict_ids=()) for each in items]
        return self._page("statements", bare)

    def statements_by_id(
        self, scope: KnowledgeScope, ids: Sequence[str], *, known_at: str = ""
    ) -> Outcome[Page[Statement]]:
        items = tuple(self.known_statements[each] for each in ids if each in self.known_statements)
        contested = dict.fromkeys(each for one in items for each in one.conflict_ids)
        conflicts = tuple(
            replace(found, statements=tuple(self.known_statements[one] for one in found.statement_ids))
            for each in contested
            if (found := self.known_conflicts.get(each))
        )
        related = {
            each: self.known_entities[each] for one in items for each in one.entity_ids if each in self.known_entities
        }
        later = tuple(self._later({one.id for one in items}))
        batch = Batch(items, None, len(items), "1:0", conflicts, tuple(related.values()), later)
        return self._do("statements_by_id", batch)

    def _later(self, met: set[str]) -> Iterator[Statement]:
        """What superseded them, and what superseded those in turn."""
        fresh = met
        while fresh:
            named = {self.known_statements[each].superseded_by for each in fresh if each in self.known_statements}
            fresh = {each for each in named if each in self.known_statements} - met
            met = met | fresh
            yield from (self.known_statements[each] for each in sorted(fresh))

    def statement(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Statement]:
        return self._do("statement", self.known_statements.get(statement_id) or GONE)

    def history(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[PastVersion]]:
        return self._page("history", ()) if statement_id in self.known_statements else self._do("history", GONE)

    def check_references(
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]:
        known = set(self.known_statements) - self.hidden_references
        items = tuple(CheckedReference(r.statement_id, r.statement_id in known) for r in references)
        return self._do("check_references", CheckedReferences(items, "1:1"))

    def evidence(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[Evidence]]:
        found = self.known_statements.get(statement_id)
        return self._page("evidence", found.evidence) if found else self._do("evidence", GONE)

    def search(
        self, scope: KnowledgeScope, query: str, *, limit: int = 20, include_historical: bool = False, min_support: str = "",
        as_of: str = "", known_at: str = "", facets: Facets = ANY,
    ) -> Outcome[SearchResult]:  # fmt: skip
        self.asked.append(Within(include_historical, min_support, as_of, known_at))
        words = {word for word in query.lower().replace("?", "").split() if len(word) > 3}
        hits = tuple(
            Hit(replace(each, evidence=()), 1.0, each.text, f"the words {', '.join(sorted(shared))}", ())
            for each in self.known_statements.values()
            if (shared := words & set(each.text.lower().replace(".", "").split()))
            and (include_historical or each.status is not Status.SUPERSEDED)
            and _meets(each, facets)
            and facets.source in ("", *each.source_ids)
        )
        return self._do("search", SearchResult(query, "sqlite-fts5", "1", "fused", "1:0", 4.2, (), hits))

    def entities(self, scope: KnowledgeScope, *, q: str = "", cursor: str = "") -> Outcome[Page[Entity]]:
        return self._page("entities", [each for each in self.known_entities.values() if q.lower() in each.name.lower()])

    def entity(self, scope: KnowledgeScope, entity_id: str) -> Outcome[Entity]:
        return self._do("entity", self.known_entities.get(entity_id) or GONE)

    def neighbours(
        self, scope: KnowledgeScope, entity: str, *, depth: int = 1, limit: int = 100, within: Within = EVERYTHING
    ) -> Outcome[Neighbours]:
        if entity not in self.known_entities:
            return self._do("neighbours", GONE)
        return self._do("neighbours", falcon.neighbours(entity, self.known_entities, self.known_statements))

    def merge_candidates(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = ""
    ) -> Outcome[Page[MergeCandidate]]:
        return self._page("merge_candidates", [c for c in self.known_candidates.values() if status in ("", c.status)])

    def merge_candidate(self, scope: KnowledgeScope, candidate_id: str, *, status: str = "open") -> Outcome[PairBrief]:
        found = self.known_candidates.get(candidate_id)
        if found is None:
            return self._do("merge_candidate", GONE)
        ids = sorted(each.id for each in self.known_candidates.values() if status in ("", each.status))
        before, after = [one for one in ids if one < candidate_id], [one for one in ids if one > candidate_id]
        position = len(before) + 1 if candidate_id in ids else 0
        place = Place(position, len(ids), before[-1] if before else "", after[0] if after else "")
        passages = tuple(
            self._passage(each.id, each.source_id, each.start, each.end)
            for side in found.sides for one in side.statements for each in one.evidence
        )  # fmt: skip
        return self._do("merge_candidate", PairBrief(found, passages, place))

    def decide_candidate(
        self, scope: KnowledgeScope, candidate_id: str, naming: Naming, *, is_one: bool
    ) -> Outcome[MergeCandidate]:
        found = self.known_candidates.get(candidate_id)
        if found is None:
            return self._do("decide_candidate", GONE)
        if found.digest != naming.expected_digest:
            return self._do(
                "decide_candidate", Failed(Failure.CONFLICT, "Tomas decided that they are two at 09:43 UTC.")
            )
        status = "accepted" if is_one else "rejected"
        ruled = replace(found, status=status, decided_by=naming.actor, decided_notes=naming.notes, decided_at=falcon.AT)
        outcome = self._do("decide_candidate", ruled)
        if isinstance(outcome, Ok):
            self.known_candidates[candidate_id] = ruled
        return outcome

    def join_entities(self, scope: KnowledgeScope, entity_id: str, other_id: str, naming: Naming) -> Outcome[Entity]:
        return self._do("join_entities", self.known_entities.get(entity_id) or GONE)

    def separate_name(self, scope: KnowledgeScope, entity_id: str, alias: str, naming: Naming) -> Outcome[Entity]:
        return self._do("separate_name", self.known_entities.get(entity_id) or GONE)

    def exports(self, scope: KnowledgeScope) -> Outcome[Page[Export]]:
        return self._page("exports", self.known_exports)

    def create_export(self, scope: KnowledgeScope, *, format: str) -> Outcome[Export]:  # noqa: A002
        digest = hashlib.sha256(EXPORT_BYTES).hexdigest()
        made = Export(
            f"exp_{len(self.known_exports)}",
            "proj_falcon",
            format,
            "completed",
            "rev_1",
            len(EXPORT_BYTES),
            digest,
            (("statements", 9),),
            falcon.AT,
            None,
        )
        outcome = self._do("create_export", made)
        if isinstance(outcome, Ok):
            self.known_exports.insert(0, made)
        return outcome

    def export(self, scope: KnowledgeScope, export_id: str) -> Outcome[Export]:
        return self._do("export", next((each for each in self.known_exports if each.id == export_id), GONE))

    def export_content(self, scope: KnowledgeScope, export_id: str) -> Outcome[Download]:
        known = any(each.id == export_id for each in self.known_exports)
        download = Download("falcon.jsonl", "application/x-ndjson", len(EXPORT_BYTES), iter([EXPORT_BYTES]))
        return self._do("export_content", download if known else GONE)

    def imports(self, scope: KnowledgeScope) -> Outcome[Page[Import]]:
        return self._page("imports", self.known_imports)

    def hand_in(self, scope: KnowledgeScope, package: UploadFile, *, actor: str) -> Outcome[Import]:
        content = package.content.read()
        made = falcon.package_import(
            f"imp_{len(self.known_imports)}", actor=actor, sha256=hashlib.sha256(content).hexdigest()
        )
        outcome = self._do("hand_in", made)
        if isinstance(outcome, Ok):
            self.known_imports.insert(0, made)
        return outcome

    def import_(self, scope: KnowledgeScope, import_id: str) -> Outcome[Import]:
        return self._do("import", next((each for each in self.known_imports if each.id == import_id), GONE))

    def apply_import(self, scope: KnowledgeScope, import_id: str, *, actor: str) -> Outcome[Import]:
        return self._stand(import_id, "apply_import", "completed", actor)

    def drop_import(self, scope: KnowledgeScope, import_id: str) -> Outcome[Import]:
        return self._stand(import_id, "drop_import", "dropped", "")

    def _stand(self, import_id: str, does: str, status: str, actor: str) -> Outcome[Import]:
        found = next((each for each in self.known_imports if each.id == import_id), None)
        if found is None:
            return self._do(does, GONE)
        if found.status != "ready":
            return self._do(does, Failed(Failure.CONFLICT, f"This import is {found.status}."))
        stands = replace(found, status=status, actor=actor or found.actor, outcome=found.plan, finished_at=falcon.AT)
        outcome = self._do(does, stands)
        if isinstance(outcome, Ok):
            self.known_imports[self.known_imports.index(found)] = stands
        return outcome


def _meets(each: Statement, asked: Facets | StatementFilter) -> bool:
    return (
        asked.support in ("", each.support.value)
        and asked.status in ("", each.status.value)
        and asked.type in ("", each.type)
        and asked.band in ("", each.band.value)
        and asked.entity in ("", *each.entity_ids)
    )


current: FakeProvider = FakeProvider()


def provide(_settings: Any) -> FakeProvider:
    """The factory tests name in ``KNOWLEDGE_PROVIDER``."""
    return current


def install(provider: FakeProvider) -> FakeProvider:
    global current  # noqa: PLW0603
    current = provider
    return provider
