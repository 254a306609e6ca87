"""What is kept of what was handed out: the exact bytes, what they quote, and a manifest that binds both.

A package is frozen once and read again as it was, until something it quotes is deleted. Who keeps it is the caller's
affair; here is what it holds and how it is told.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

from knowledge.citations import Report
from knowledge.context import KnowledgeContext
from knowledge.contract import Consumed, canonical
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Status, Support

SCHEMA = "knowledge-package-v1"
CONTEXT, ADMISSION = "context", "admission"
PAST = frozenset((Status.SUPERSEDED, Status.ARCHIVED, Status.STALE, Status.UNRESOLVED, Status.UNKNOWN))

type Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Quoted:
    """One place of one source that stands in a package, or a statement without any. ``standing`` is as it was told."""

    statement_id: str
    evidence_id: str = ""
    source_id: str = ""
    document_id: str = ""
    version: str = ""
    excerpt_hash: str = ""
    start: int = 0
    end: int = 0
    standing: str = "holds"


@dataclass(frozen=True, slots=True)
class Sheet:
    """An answer about to be frozen. ``text`` is exactly what is handed out, ``context`` what its citations may name.

    ``status`` is that of an admission, empty for a context; ``question`` never enters a manifest, only its digest.
    """

    kind: str
    text: str
    context: KnowledgeContext
    view_id: str
    admitted_at: str
    min_support: Support
    question: str
    status: str = ""
    attempt: str = ""
    purpose: str = ""
    execution_id: str = ""
    limits: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return text_digest(self.text)

    @property
    def quoted(self) -> tuple[Quoted, ...]:
        return quoted_in(self.context)


@dataclass(frozen=True, slots=True)
class Receipt:
    package: str
    manifest_digest: str


@dataclass(frozen=True, slots=True)
class Package:
    """One as it is kept. ``text`` and ``context`` are None once a deletion has purged them; digests stay."""

    id: str
    kind: str
    status: str
    digest: str
    manifest_digest: str
    manifest: Json
    text: str | None
    context: KnowledgeContext | None
    quoted: tuple[Quoted, ...]
    admitted_at: str
    attempt: str
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overturned:
    """A statement of packages that no longer stands as it was served. ``id`` grows with time and is the cursor."""

    id: int
    at: str
    cause: str
    statement_id: str
    standing: str
    successor_id: str
    packages: tuple[str, ...]


class Packages(Protocol):
    """What one caller keeps; it finds its own and nothing else."""

    def freeze(self, sheet: Sheet, request_id: str) -> Receipt: ...
    def find(self, package_id: str) -> Package | None: ...
    def purge(self, package_id: str, because: str) -> None: ...
    def note_outcome(self, package_id: str, outcome: Consumed, raw: str, *, grounded: bool) -> None: ...
    def note_citations(self, package_id: str, answer: str, report: Report) -> None: ...
    def corrections(self, after: int, limit: int) -> Sequence[Overturned]: ...


def manifest_of(sheet: Sheet, scope: KnowledgeScope, *, package_id: str, agent: str, request_id: str) -> bytes:
    """Canonical JSON. Ids and digests alone: it tells no word of a question or a document, and outlives both."""
    told: dict[str, object] = {
        "schema": SCHEMA,
        "package": package_id,
        "kind": sheet.kind,
        "status": sheet.status,
        "scope": scope.slug,
        "agent": agent,
        "attempt": sheet.attempt,
        "purpose": sheet.purpose,
        "request_id": request_id,
        "query_digest": text_digest(sheet.question),
        "view_id": sheet.view_id,
        "admitted_at": sheet.admitted_at,
        "min_support": sheet.min_support.value,
        "limits": dict(sheet.limits),
        "execution_id": sheet.execution_id,
        "statements": [asdict(each) for each in sheet.quoted],
        "digest": sheet.digest,
    }
    return canonical(told)


def quoted_in(context: KnowledgeContext) -> tuple[Quoted, ...]:
    found: list[Quoted] = []
    for fact in context.facts:
        standing = "contested" if fact.contested or fact.statement.status is Status.DISPUTED else "holds"
        standing = "past" if fact.statement.status in PAST else standing
        if not fact.evidence:
            found.append(Quoted(fact.statement.id, standing=standing))
        found.extend(
            Quoted(
                statement_id=fact.statement.id,
                evidence_id=piece.id,
                source_id=piece.source_id,
                document_id=piece.document_id,
                version=piece.version,
                excerpt_hash=piece.excerpt_hash,
                start=piece.start,
                end=piece.end,
                standing=standing,
            )
            for piece in fact.evidence
        )
    return tuple(found)


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
