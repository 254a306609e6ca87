"""Records for one test each, and a provider that holds them in memory."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from knowledge.engine.null import NullProvider
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.records import (
    Alias,
    Batch,
    Conflict,
    Entity,
    EntityRef,
    Evidence,
    Hit,
    Page,
    Route,
    SearchResult,
    Side,
    Statement,
    Suggestion,
)
from knowledge.scope import KnowledgeScope, Level
from knowledge.vocabulary import Band, ConflictStatus, Status, Support

SCOPE = KnowledgeScope(Level.PROJECT, "proj_ef42d498ae1e", "falcon")
FALCON = EntityRef("ent_falcon", "Project Falcon", "project")


def evidence(key: str, excerpt: str = "The roof is red.", **changes: object) -> Evidence:
    piece = Evidence(
        id=f"ev_{key}",
        statement_id=key,
        document_id="doc_1",
        source_id="src_1",
        source_name="note.txt",
        source_path="note.txt",
        source_type="txt",
        version="",
        text_hash="",
        representation="",
        segmentation="",
        chunk_id="",
        location="Line 1",
        start=0,
        end=len(excerpt),
        excerpt=excerpt,
        excerpt_hash=hashlib.sha256(excerpt.encode("utf-8", "surrogatepass")).hexdigest(),
        extractor="rules 1",
        confidence=0.9,
        missing=False,
    )
    return replace(piece, **changes)  # type: ignore[arg-type]


def statement(key: str = "ki_1", text: str = "The roof is red.", **changes: object) -> Statement:
    made = Statement(
        id=key,
        base_id=SCOPE.base_id,
        type="fact",
        subject="roof",
        subject_origin="sentence",
        text=text,
        attribute_key="",
        attribute_value="",
        frame=None,
        support=Support.DIRECT_FACT,
        support_label_raw="direct_fact",
        support_reason="",
        confidence=0.9,
        status=Status.ACTIVE,
        band=Band.TENANT,
        entity_ids=(),
        effective_date="",
        recorded_at=None,
        extractor="rules 1",
        review_status="",
        superseded_by=None,
        evidence_count=1,
        origins=1,
        document_ids=("doc_1",),
        source_ids=("src_1",),
        evidence=(evidence(key, text),),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def of_document(key: str, document: str, **changes: object) -> Statement:
    """A statement with evidence in a document of its own name."""
    piece = evidence(key, source_id=f"src_{document}", source_name=document, document_id=f"doc_{document}")
    made = statement(key, document_ids=(f"doc_{document}",), source_ids=(f"src_{document}",), evidence=(piece,))
    return replace(made, **changes)  # type: ignore[arg-type]


def conflict(key: str, *statements: str, **changes: object) -> Conflict:
    made = Conflict(
        id=key,
        type="attribute_mismatch",
        subject="roof",
        attribute_key="roof|colour",
        status=ConflictStatus.OPEN,
        description="",
        why="",
        sides=tuple(Side(f"sd_{s}", s, s, (s,), (), 1, "") for s in statements),
        statement_ids=statements,
        source_ids=(),
        suggestion=None,
        ruling=None,
        assignee="",
        digest="d",
        detected_at=None,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def entity(ref: EntityRef, *aliases: str) -> Entity:
    return Entity(ref.id, ref.type, ref.name, tuple(Alias(alias, "name", "", 1.0) for alias in aliases), 1, 1)


@dataclass
class Shelf(NullProvider):
    """``ranked`` are ids the search answers; ``searched`` and ``views`` the views search and batch tell, in turn."""

    statements_held: Sequence[Statement]
    ranked: Sequence[str] = ()
    conflicts_held: Sequence[Conflict] = ()
    entities_held: Sequence[Entity] = ()
    backend: str = "sqlite-fts5"
    searched: list[str] = field(default_factory=lambda: ["1:1"])
    views: list[str] = field(default_factory=lambda: ["1:1"])
    calls: list[str] = field(default_factory=list)
    failing: Failed | None = None
    batch: Batch | None = None
    word_scores: Mapping[str, float] = field(default_factory=dict)

    def search(self, scope: KnowledgeScope, query: str, **asked: object) -> Outcome[SearchResult]:  # type: ignore[override]
        self.calls.append("search")
        if self.failing:
            return self.failing
        held = {s.id: s for s in self.statements_held}
        hits = tuple(Hit(held[key], 1.0, "", "", self._routes(key)) for key in self.ranked or held)
        return Ok(SearchResult(query, self.backend, "1", "words", _next(self.searched), 1.0, (), hits))

    def _routes(self, key: str) -> tuple[Route, ...]:
        score = self.word_scores.get(key)
        return () if score is None else (Route("text", "bm25", 1, score),)

    def statements_by_id(self, scope: KnowledgeScope, ids: Sequence[str]) -> Outcome[Page[Statement]]:  # type: ignore[override]
        self.calls.append("batch")
        if self.batch:
            return Ok(self.batch)
        held = {s.id: s for s in self.statements_held}
        view = _next(self.views)
        return Ok(Page(tuple(held[key] for key in ids if key in held), None, None, view))

    def conflict(self, scope: KnowledgeScope, conflict_id: str) -> Outcome[Conflict]:  # type: ignore[override]
        found = next((c for c in self.conflicts_held if c.id == conflict_id), None)
        return Ok(found) if found else Failed(Failure.NOT_FOUND, "")

    def entity(self, scope: KnowledgeScope, entity_id: str) -> Outcome[Entity]:  # type: ignore[override]
        found = next((e for e in self.entities_held if e.id == entity_id), None)
        return Ok(found) if found else Failed(Failure.NOT_FOUND, "")


def _next(views: list[str]) -> str:
    return views.pop(0) if len(views) > 1 else views[0]


def falcon_launch() -> Shelf:
    """The two launch dates of the example, as an engine might have read them."""
    early = statement(
        "ki_1a",
        "The launch date for Project Falcon is March 3, 2026.",
        status=Status.DISPUTED,
        effective_date="2026-03-03",
        conflict_ids=("cf_1",),
        entities=(FALCON,),
        document_ids=("doc_8",),
        source_ids=("src_8",),
        evidence=(
            evidence(
                "ki_1a",
                "The launch date for Project Falcon is March 3, 2026.",
                source_id="src_8",
                source_name="08-design-review.docx",
                location="Section: Falcon Design Review Notes > Schedule",
            ),
        ),
    )
    late = statement(
        "ki_2b",
        "The launch date for Project Falcon has moved to April 10, 2026.",
        status=Status.DISPUTED,
        conflict_ids=("cf_1",),
        entities=(FALCON,),
        document_ids=("doc_2",),
        source_ids=("src_2",),
        evidence=(
            evidence(
                "ki_2b",
                "The launch date has moved to April 10 because the Northwind parts slipped.",
                source_id="src_2",
                source_name="02-schedule-update.eml",
                location="message body",
            ),
        ),
    )
    dispute = conflict(
        "cf_1",
        "ki_1a",
        "ki_2b",
        attribute_key="falcon|launch_date",
        description='2 different values were stated for "launch_date" of falcon: 2026-03-03 vs 2026-04-10',
        suggestion=Suggestion("ki_2b", "Only this statement comes from a dated source (2026-02-18)"),
    )
    return Shelf([early, late], ["ki_2b"], [dispute], [entity(FALCON, "Falcon", "Project Falcon")])
