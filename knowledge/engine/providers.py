"""Knowledge over the engine's HTTP contract, and the provider that refuses. There is no third."""

import hashlib
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import batched

from knowledge.engine.asking import Asking
from knowledge.engine.bodies import decision_body, naming_body
from knowledge.engine.cache import ReadCache
from knowledge.engine.client import Call, EngineAccess, EngineClient, Query, shared_client
from knowledge.engine.downloads import open_download
from knowledge.engine.fence import OnAlarm, no_alarm
from knowledge.engine.null import NullProvider
from knowledge.engine.reading import Reading, safe_id
from knowledge.engine.wire import MalformedWireError, Row, read_page
from knowledge.engine.wire_batch import joined, read_batch
from knowledge.engine.wire_engine import (
    PROTOCOL_VERSION,
    protocol_of,
    read_base,
    read_engine,
    read_export,
    read_job,
    read_review_event,
)
from knowledge.engine.wire_entities import read_candidate, read_decision, read_merged
from knowledge.engine.wire_sources import (
    read_changes,
    read_document,
    read_folder,
    read_source,
    read_source_text,
    read_uploaded,
)
from knowledge.engine.wire_statements import (
    read_conflict,
    read_entity,
    read_evidence,
    read_statement,
)
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import Decision, DocumentEdit, Download, Naming, StateChange, StatementFilter, UploadFile
from knowledge.records import (
    Base,
    Changes,
    Conflict,
    Document,
    Engine,
    Entity,
    Evidence,
    Export,
    ImportedFolder,
    Job,
    MergeCandidate,
    Page,
    ReviewEvent,
    Source,
    SourceText,
    Statement,
    StoredDecision,
    Uploaded,
)
from knowledge.scope import KnowledgeScope

__all__ = ["PROTOCOL_VERSION", "ForagerProvider", "NullProvider"]

FOLDER_PATIENCE = 9
"""How many times longer than another import a folder may take."""
BATCH = 50
"""Statements the engine answers in one batch read."""
_shared_cache = ReadCache()


class ForagerProvider(Asking):
    """Made anew for each request from the settings as they stand; the connection pool behind it is shared.

    ``on_alarm`` hears of rows that should never have reached us. ``cache_seconds`` 0 keeps nothing.
    """

    def __init__(
        self,
        access: EngineAccess,
        *,
        client: EngineClient | None = None,
        on_alarm: OnAlarm = no_alarm,
        cache: ReadCache | None = None,
        cache_seconds: float = 0,
    ) -> None:
        self._access = access
        self._client = client or shared_client()
        self._reading = Reading(self._client, access, on_alarm)
        self._cache = cache or _shared_cache
        self._cache_seconds = cache_seconds
        self._origin = f"{access.endpoint} {hashlib.sha256(access.token.encode()).hexdigest()}"

    # The engine

    def ready(self) -> Outcome[str]:
        """``ok`` or ``degraded``."""
        return self._reading.value(self._probe("ready"), lambda value: Row(value, "ready").words("status"))

    def engine(self) -> Outcome[Engine]:
        """Who answers. Another protocol than ours is *incompatible*, whatever else it says."""
        call = self._probe("capabilities")
        protocol = self._reading.value(call, lambda value: (protocol_of(value), value))
        if isinstance(protocol, Failed):
            return protocol
        version, value = protocol.value
        if version != PROTOCOL_VERSION:
            reason = f"The engine speaks protocol {version}; this build speaks {PROTOCOL_VERSION}."
            return Failed(Failure.INCOMPATIBLE, reason)
        try:
            return Ok(read_engine(value))
        except MalformedWireError as error:
            return Failed(Failure.MALFORMED, f"The engine's answer does not have the agreed shape: {error}.")

    def bases(self) -> Outcome[Page[Base]]:
        call = self._get("projects", {"page_size": 200})
        return self._reading.value(call, lambda value: read_page(value, "projects", read_base))

    def create_base(self, *, name: str, description: str) -> Outcome[Base]:
        call = self._post("projects", {"name": name, "description": description})
        return self._reading.value(call, lambda value: read_base(Row(value, "project")))

    def base(self, scope: KnowledgeScope) -> Outcome[Base]:
        found = self._one(scope, "projects/{}", scope.base_id, "project", read_base)
        if isinstance(found, Ok) and found.value.id != scope.base_id:
            return Failed(Failure.NOT_FOUND, "The engine does not know this knowledge base.")
        return found

    # Sources

    def sources(self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50) -> Outcome[Page[Source]]:
        return self._page(scope, "sources", read_source, {"cursor": cursor, "page_size": page_size})

    def source(self, scope: KnowledgeScope, source_id: str) -> Outcome[Source]:
        return self._one(scope, "sources/{}", source_id, "source", read_source)

    def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]:
        return self._one(scope, "sources/{}/text", source_id, "text", read_source_text)

    def source_content(self, scope: KnowledgeScope, source_id: str) -> Outcome[Download]:
        return self._download(scope, "sources/{}/content", source_id)

    def upload(self, scope: KnowledgeScope, files: Iterable[UploadFile]) -> Outcome[Uploaded]:
        """Files and their paths go in the same order; the engine matches them by index."""
        given = tuple(files)
        call = Call(
            "POST",
            f"projects/{scope.base_id}/sources",
            self._access.ingestion_ms,
            files=[("files", (_name(file.path), file.content, "application/octet-stream")) for file in given],
            form={"paths": [file.path for file in given]},
            idempotency_key=_key(),
        )
        return self._changed(scope, self._reading.listed(scope, call, read_uploaded, "items"))

    def import_folder(self, scope: KnowledgeScope, path: str) -> Outcome[ImportedFolder]:
        """A folder of the engine's machine; taking it in may be long, and repeats safely when it was cut off."""
        call = self._post(f"projects/{scope.base_id}/sources/directory", {"path": path})
        patient = replace(call, limit_ms=self._access.ingestion_ms * FOLDER_PATIENCE)
        return self._changed(scope, self._reading.listed(scope, patient, read_folder, "refused"))

    # Documents

    def document(self, scope: KnowledgeScope, document_id: str) -> Outcome[Document]:
        return self._one(scope, "documents/{}", document_id, "document", read_document)

    def changes(self, scope: KnowledgeScope, source_id: str) -> Outcome[Changes]:
        return self._one(scope, "sources/{}/changes", source_id, "changes", read_changes)

    def change_state(self, scope: KnowledgeScope, document_id: str, change: StateChange) -> Outcome[Document]:
        body: dict[str, object] = {"state": change.state, "reason": change.reason, "actor": change.actor}
        if change.reason_code:
            body["reason_code"] = change.reason_code
        return self._act(scope, "documents/{}/state", document_id, body, "document", read_document)

    def edit_document(self, scope: KnowledgeScope, document_id: str, edit: DocumentEdit) -> Outcome[Document]:
        body: dict[str, object] = {
            "band": edit.band,
            "authoritative": edit.authoritative,
            "owner": edit.owner,
            "actor": edit.actor,
            "reason": edit.reason,
        }
        return self._act(scope, "documents/{}", document_id, body, "document", read_document, method="PATCH")

    # Jobs

    def process(self, scope: KnowledgeScope, *, force: bool = False) -> Outcome[Job]:
        call = self._post(f"projects/{scope.base_id}/process", {"force": force})
        return self._reading.one(scope, call, "job", read_job)

    def jobs(self, scope: KnowledgeScope, *, page_size: int = 10) -> Outcome[Page[Job]]:
        return self._page(scope, "jobs", read_job, {"page_size": page_size})

    def job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]:
        return self._one(scope, "jobs/{}", job_id, "job", read_job)

    def cancel_job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]:
        return self._act(scope, "jobs/{}/cancel", job_id, {}, "job", read_job)

    def retry_job(self, scope: KnowledgeScope, job_id: str) -> Outcome[Job]:
        return self._act(scope, "jobs/{}/retry", job_id, {}, "job", read_job)

    # Statements

    def statements(self, scope: KnowledgeScope, where: StatementFilter) -> Outcome[Page[Statement]]:
        query: Query = {
            "support": where.support,
            "status": where.status,
            "entity": where.entity,
            "source": where.source,
            "attribute_key": where.attribute_key,
            "cursor": where.cursor,
            "page_size": where.page_size,
        }
        return self._page(scope, "knowledge", read_statement, query)

    def statements_by_id(self, scope: KnowledgeScope, ids: Sequence[str]) -> Outcome[Page[Statement]]:
        """Whole statements, in the order asked for; unknown ids are simply not among them. Never cached.

        A ``Batch`` where the engine tells of conflicts and entities with them.
        """
        wanted = tuple(dict.fromkeys(ids))
        pages: list[Page[Statement]] = []
        for some in batched(wanted, BATCH):
            query: Query = {"ids": ",".join(some), "expand": "evidence,entities,conflicts", "page_size": BATCH}
            call = self._get(f"projects/{scope.base_id}/knowledge", query)
            page = self._reading.listed(scope, call, read_batch, "items", "conflicts", "entities")
            if isinstance(page, Failed):
                return page
            pages.append(page.value)
        found = joined(pages, wanted)
        self._cache.saw(self._origin, scope, found.view_id)
        return Ok(found)

    def statement(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Statement]:
        return self._one(scope, "knowledge/{}", statement_id, "item", read_statement)

    def evidence(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[Evidence]]:
        known = safe_id(statement_id)
        if isinstance(known, Failed):
            return known
        return self._reading.page(scope, self._get(f"knowledge/{known.value}/evidence"), "evidence", read_evidence)

    def entities(self, scope: KnowledgeScope, *, q: str = "", cursor: str = "") -> Outcome[Page[Entity]]:
        return self._page(scope, "entities", read_entity, {"q": q, "cursor": cursor})

    def entity(self, scope: KnowledgeScope, entity_id: str) -> Outcome[Entity]:
        return self._one(scope, "entities/{}", entity_id, "entity", read_entity)

    def merge_candidates(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = ""
    ) -> Outcome[Page[MergeCandidate]]:
        return self._page(scope, "merge-candidates", read_candidate, {"status": status, "cursor": cursor})

    def merge_candidate(self, scope: KnowledgeScope, candidate_id: str) -> Outcome[MergeCandidate]:
        return self._one(scope, "merge-candidates/{}", candidate_id, "merge_candidate", read_candidate)

    def decide_candidate(
        self, scope: KnowledgeScope, candidate_id: str, naming: Naming, *, is_one: bool
    ) -> Outcome[MergeCandidate]:
        path = "merge-candidates/{}/accept" if is_one else "merge-candidates/{}/reject"
        body = {**naming_body(naming), "expected_digest": naming.expected_digest}
        return self._act(scope, path, candidate_id, body, "merge_candidate", read_candidate)

    def join_entities(self, scope: KnowledgeScope, entity_id: str, other_id: str, naming: Naming) -> Outcome[Entity]:
        body = {**naming_body(naming), "other_id": other_id}
        return self._act(scope, "entities/{}/merge", entity_id, body, "merged", read_merged)

    def separate_name(self, scope: KnowledgeScope, entity_id: str, alias: str, naming: Naming) -> Outcome[Entity]:
        body = {**naming_body(naming), "alias": alias}
        return self._act(scope, "entities/{}/unmerge", entity_id, body, "merged", read_merged)

    # Conflicts and review

    def conflicts(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = "", page_size: int = 50
    ) -> Outcome[Page[Conflict]]:
        query: Query = {"status": status, "cursor": cursor, "page_size": page_size}
        return self._page(scope, "conflicts", read_conflict, query)

    def conflict(self, scope: KnowledgeScope, conflict_id: str) -> Outcome[Conflict]:
        return self._one(scope, "conflicts/{}", conflict_id, "conflict", read_conflict)

    def resolve(self, scope: KnowledgeScope, conflict_id: str, decision: Decision) -> Outcome[Conflict]:
        body = decision_body(decision)
        return self._act(scope, "conflicts/{}/resolve", conflict_id, body, "conflict", read_conflict)

    def reopen(self, scope: KnowledgeScope, conflict_id: str, *, actor: str, notes: str) -> Outcome[Conflict]:
        body: dict[str, object] = {"actor": actor, "notes": notes}
        return self._act(scope, "conflicts/{}/reopen", conflict_id, body, "conflict", read_conflict)

    def decisions(self, scope: KnowledgeScope, *, state: str = "") -> Outcome[Page[StoredDecision]]:
        return self._page(scope, "decisions", read_decision, {"state": state})

    def review_events(self, scope: KnowledgeScope, *, cursor: str = "") -> Outcome[Page[ReviewEvent]]:
        return self._page(scope, "review-events", read_review_event, {"cursor": cursor})

    # Exports

    def exports(self, scope: KnowledgeScope) -> Outcome[Page[Export]]:
        return self._page(scope, "exports", read_export, {})

    def create_export(self, scope: KnowledgeScope, *, format: str) -> Outcome[Export]:  # noqa: A002 - the wire's word
        call = self._post(f"projects/{scope.base_id}/exports", {"format": format})
        return self._reading.one(scope, call, "export", read_export)

    def export(self, scope: KnowledgeScope, export_id: str) -> Outcome[Export]:
        return self._one(scope, "exports/{}", export_id, "export", read_export)

    def export_content(self, scope: KnowledgeScope, export_id: str) -> Outcome[Download]:
        return self._download(scope, "exports/{}/download", export_id)

    # Calls

    def _probe(self, path: str) -> Call:
        return Call("GET", path, self._access.probe_ms, is_probe=True)

    def _get(self, path: str, query: Query | None = None) -> Call:
        return Call("GET", path, self._access.retrieval_ms, query={k: v for k, v in (query or {}).items() if v != ""})

    def _post(self, path: str, body: dict[str, object]) -> Call:
        return Call("POST", path, self._access.ingestion_ms, body=body, idempotency_key=_key())

    def _page[T](self, scope: KnowledgeScope, name: str, read: Callable[[Row], T], query: Query) -> Outcome[Page[T]]:
        return self._reading.page(scope, self._get(f"projects/{scope.base_id}/{name}", query), name, read)

    def _one[T](
        self, scope: KnowledgeScope, path: str, row_id: str, place: str, read: Callable[[Row], T]
    ) -> Outcome[T]:
        known = safe_id(row_id)
        if isinstance(known, Failed):
            return known
        return self._reading.one(scope, self._get(path.format(known.value)), place, read)

    def _act[T](
        self,
        scope: KnowledgeScope,
        path: str,
        row_id: str,
        body: dict[str, object],
        place: str,
        read: Callable[[Row], T],
        *,
        method: str = "POST",
    ) -> Outcome[T]:
        known = safe_id(row_id)
        if isinstance(known, Failed):
            return known
        call = replace(self._post(path.format(known.value), body), method=method)
        return self._changed(scope, self._reading.one(scope, call, place, read))

    def _changed[T](self, scope: KnowledgeScope, outcome: Outcome[T]) -> Outcome[T]:
        """After a change of ours nothing remembered for this base is used any more."""
        self._cache.forget(self._origin, scope)
        return outcome

    def _download(self, scope: KnowledgeScope, path: str, row_id: str) -> Outcome[Download]:
        known = safe_id(row_id)
        if isinstance(known, Failed):
            return known
        call = Call("GET", path.format(known.value), self._access.ingestion_ms, base_id=scope.base_id)
        return open_download(self._client, self._access, call)


def _key() -> str:
    return f"idem_{uuid.uuid4().hex}"


def _name(path: str) -> str:
    """The last part of a path as a file name for the form; the path itself travels beside it."""
    return re.sub(r'[\r\n"]', "_", path.replace("\\", "/").rsplit("/", 1)[-1]) or "file"
