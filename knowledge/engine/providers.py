"""Knowledge over the engine's HTTP contract, and the provider that refuses. There is no third."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import batched

from knowledge.engine.asking import Asking
from knowledge.engine.calls import band_of, new_key
from knowledge.engine.client import Call, Query
from knowledge.engine.interchange import InterchangeCalls
from knowledge.engine.null import NullProvider
from knowledge.engine.reading import safe_id
from knowledge.engine.review import ReviewCalls
from knowledge.engine.wire import MalformedWireError, Row, read_page
from knowledge.engine.wire_batch import joined, read_batch
from knowledge.engine.wire_briefs import read_grounds, read_source_brief, read_statement_brief
from knowledge.engine.wire_engine import (
    PROTOCOL_VERSION,
    protocol_of,
    read_base,
    read_engine,
    read_job,
)
from knowledge.engine.wire_feed import read_feed
from knowledge.engine.wire_sources import (
    read_document,
    read_folder,
    read_source,
    read_source_text,
    read_uploaded,
)
from knowledge.engine.wire_statements import (
    read_entity,
    read_evidence,
    read_statement,
)
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import DocumentEdit, Download, StateChange, StatementFilter, UploadFile
from knowledge.records import (
    Base,
    Document,
    Engine,
    Entity,
    Evidence,
    FeedPage,
    ImportedFolder,
    Job,
    Page,
    Source,
    SourceBrief,
    SourceText,
    Statement,
    Uploaded,
)
from knowledge.reviewing import Grounds, StatementBrief
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Band

__all__ = ["PROTOCOL_VERSION", "ForagerProvider", "NullProvider"]

WHOLE = "evidence,entities,conflicts"
FOLDER_PATIENCE = 9
"""How many times longer than another import a folder may take."""
BATCH = 50
"""Statements the engine answers in one batch read."""


class ForagerProvider(Asking, ReviewCalls, InterchangeCalls):
    """Made anew for each request from the settings as they stand; the connection pool behind it is shared.

    ``on_alarm`` hears of rows that should never have reached us. ``cache_seconds`` 0 keeps nothing.
    """

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

    def feed(self, *, cursor: str = "", limit: int = 100) -> Outcome[FeedPage]:
        return self._reading.value(self._get("feed", {"cursor": cursor, "limit": limit}), read_feed)

    def base(self, scope: KnowledgeScope) -> Outcome[Base]:
        found = self._one(scope, "projects/{}", scope.base_id, "project", read_base)
        if isinstance(found, Ok) and found.value.id != scope.base_id:
            return Failed(Failure.NOT_FOUND, "The engine does not know this knowledge base.")
        return found

    # Sources

    def sources(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, q: str = ""
    ) -> Outcome[Page[Source]]:
        return self._page(scope, "sources", read_source, {"cursor": cursor, "page_size": page_size, "q": q})

    def source(self, scope: KnowledgeScope, source_id: str) -> Outcome[Source]:
        return self._one(scope, "sources/{}", source_id, "source", read_source)

    def source_brief(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceBrief]:
        known = safe_id(source_id)
        if isinstance(known, Failed):
            return known
        call = self._get(f"sources/{known.value}/brief", band_of(scope))
        return self._reading.one(scope, call, "source_brief", read_source_brief)

    def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]:
        hidden = self._hidden(scope, source_id)
        return hidden or self._one(scope, "sources/{}/text", source_id, "text", read_source_text)

    def source_content(self, scope: KnowledgeScope, source_id: str) -> Outcome[Download]:
        return self._hidden(scope, source_id) or self._download(scope, "sources/{}/content", source_id)

    def _hidden(self, scope: KnowledgeScope, source_id: str) -> Failed | None:
        """Bytes carry no band: where a scope may not read all, the source is asked for first, and hidden is unknown."""
        if scope.allows(Band.TENANT):
            return None
        found = self.source(scope, source_id)
        return found if isinstance(found, Failed) else None

    def upload(self, scope: KnowledgeScope, files: Iterable[UploadFile]) -> Outcome[Uploaded]:
        """Files and their paths go in the same order; the engine matches them by index."""
        given = tuple(files)
        call = Call(
            "POST",
            f"projects/{scope.base_id}/sources",
            self._access.ingestion_ms,
            files=[("files", (_name(file.path), file.content, "application/octet-stream")) for file in given],
            form={"paths": [file.path for file in given]},
            idempotency_key=new_key(),
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
            "type": where.type,
            "band": where.band,
            "as_of": where.as_of,
            "known_at": where.known_at,
            "expand": WHOLE if where.whole else "",
            "cursor": where.cursor,
            "page_size": where.page_size,
            **band_of(scope),
        }
        return self._page(scope, "knowledge", read_statement, query)

    def statements_by_id(
        self, scope: KnowledgeScope, ids: Sequence[str], *, known_at: str = ""
    ) -> Outcome[Page[Statement]]:
        """Whole statements, in the order asked for; unknown ids are simply not among them. Never cached.

        ``known_at`` reads them as the base held them then, also those it holds no more.

        A ``Batch`` where the engine tells of conflicts and entities with them.
        """
        wanted = tuple(dict.fromkeys(ids))
        pages: list[Page[Statement]] = []
        for some in batched(wanted, BATCH):
            query: Query = {"ids": ",".join(some), "expand": WHOLE, "page_size": BATCH}
            query = {**query, "known_at": known_at, **band_of(scope)}
            call = self._get(f"projects/{scope.base_id}/knowledge", query)
            page = self._reading.listed(scope, call, read_batch, "items", "conflicts", "entities", "successors")
            if isinstance(page, Failed):
                return page
            pages.append(page.value)
        found = joined(pages, wanted)
        if not known_at:  # an answer about the past tells the view of the past
            self._cache.saw(self._origin, scope, found.view_id)
        return Ok(found)

    def statement(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Statement]:
        return self._one(scope, "knowledge/{}", statement_id, "item", read_statement)

    def statement_brief(self, scope: KnowledgeScope, statement_id: str) -> Outcome[StatementBrief]:
        return self._one(scope, "knowledge/{}/brief", statement_id, "statement_brief", read_statement_brief)

    def grounds(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Grounds]:
        """Past versions tell no band: a scope that may not read all gets none."""
        found = self._one(scope, "knowledge/{}/grounds", statement_id, "grounds", read_grounds)
        if isinstance(found, Failed) or scope.allows(Band.TENANT):
            return found
        return Ok(replace(found.value, versions=()))

    def evidence(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[Evidence]]:
        known = safe_id(statement_id)
        if isinstance(known, Failed):
            return known
        return self._reading.page(scope, self._get(f"knowledge/{known.value}/evidence"), "evidence", read_evidence)

    def entities(self, scope: KnowledgeScope, *, q: str = "", cursor: str = "") -> Outcome[Page[Entity]]:
        return self._page(scope, "entities", read_entity, {"q": q, "cursor": cursor})

    def entity(self, scope: KnowledgeScope, entity_id: str) -> Outcome[Entity]:
        return self._one(scope, "entities/{}", entity_id, "entity", read_entity)


def _name(path: str) -> str:
    """The last part of a path as a file name for the form; the path itself travels beside it."""
    return re.sub(r'[\r\n"]', "_", path.replace("\\", "/").rsplit("/", 1)[-1]) or "file"
