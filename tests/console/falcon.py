# ruff: noqa: E501 - a table of facts reads better on long lines
"""A coherent knowledge base in memory: the Falcon story, small enough to read whole."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

from knowledge.records import (
    Alias,
    Base,
    Block,
    CandidateSide,
    Conflict,
    DetectorPass,
    Edge,
    Engine,
    Entity,
    EntityRef,
    Evidence,
    Excluded,
    Frame,
    Import,
    ImportExample,
    ImportPlan,
    Job,
    Ledger,
    MergeCandidate,
    Neighbours,
    Side,
    Source,
    SourceText,
    Stage,
    Statement,
    Suggestion,
    Tally,
)
from knowledge.records import Warning as SourceWarning
from knowledge.vocabulary import Band, ConflictStatus, JobStatus, Status, Support

AT = datetime(2026, 2, 27, 9, 41, 8, tzinfo=UTC)
STAGES = (
    "source_registration", "parsing_extraction", "normalization", "chunking", "semantic_extraction",
    "entity_resolution", "dedup_conflict", "provenance", "validation", "indexing", "export_availability",
)  # fmt: skip

MAIL = """All,

The launch date has moved to April 10 because the Northwind parts slipped. Northwind now expects to deliver the actuator assemblies on March 24.

Priya thinks we may be able to recover a week if the second test cell is free.

I heard from Dana that the customer has already agreed to the new date. The budget for Falcon is unchanged at $1.35M.

Bob

> On 12 Jan 2026, Priya Raman wrote:
> The launch date for Project Falcon is March 3, 2026.
"""
MEMO = """# Falcon kickoff memo

Project Falcon is led by Robert Smith. The launch date for Project Falcon is March 3, 2026.

The budget for Falcon is $1.20M.

The legacy adapter is required for the first release.\u202e
"""
NOTES = """Stand-up, week 7

The legacy adapter is optional for the first release.
Somebody said the venue might change.
"""
TEXTS = {"src_memo": MEMO, "src_mail": MAIL, "src_notes": NOTES, "src_copy": MEMO}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def engine() -> Engine:
    return Engine(
        name="engine", version="0.1.0", protocol_version=1, instance_id="fgi_5d0f27", generation="gen_3",
        data_dir="var/engine", database="sqlite", search_backend="sqlite-fts5", model_provider="",
        capabilities=frozenset({"retrieval", "ingestion", "export:jsonl", "export:anthill", "export:obsidian", "import:anthill"}), package_version=7,
        max_file_bytes=100_000_000, max_files=400, max_archive_entries=10_000, query_chars=4000,
    )  # fmt: skip


def base(base_id: str, name: str, *, filled: bool) -> Base:
    return Base(
        id=base_id, name=name, description="", state="active",
        source_count=4 if filled else 0, statement_count=8 if filled else 0, entity_count=3 if filled else 0,
        open_conflict_count=4 if filled else 0, current_revision=1 if filled else 0,
        last_published_at=AT if filled else None,
        last_pass=DetectorPass(AT if filled else None, 1318 if filled else 0, 46 if filled else 0, (("no_subject", 41), ("several_values", 5)) if filled else ()),
    )  # fmt: skip


def source(source_id: str, name: str, kind: str, date: str, count: int, **changes: object) -> Source:
    text = TEXTS.get(source_id, "")
    made = Source(
        id=source_id, document_id=f"doc_{source_id[4:]}", base_id="proj_falcon", name=name, path=name, type=kind,
        media_type="text/plain", content_hash=sha(text), size_bytes=len(text) or 18_204, processing_status="indexed",
        state="active", document_date=date, document_date_from="front matter" if date else "", band=Band.TENANT,
        authoritative=False, owner="", duplicate_of=None, superseded_by=None, origin_id=f"org_{source_id[4:]}",
        statement_count=count, encoding="utf-8", ledger=Ledger("paragraph", 8, 7, 1, ()), warnings=(),
        registered_at=AT, last_verified_at=AT,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def sources() -> dict[str, Source]:
    scan = (SourceWarning("image_only", "Pages 7–9 are images only", "", "Add a text version"),)
    made = [
        source("src_memo", "01-kickoff-memo.md", "md", "2026-01-12", 4),
        source("src_mail", "02-schedule-update.eml", "eml", "2026-02-18", 4, document_date_from="Date header"),
        source("src_notes", "06-standup-notes.txt", "txt", "", 2, warnings=scan),
        source("src_copy", "09-requirements-copy.pdf", "pdf", "2026-01-20", 0, duplicate_of="src_memo"),
    ]
    return {each.id: each for each in made}


def text(source_id: str) -> SourceText:
    whole = TEXTS[source_id]
    blocks, at = [], 0
    for part in whole.split("\n\n"):
        start = whole.index(part, at)
        kind = "heading" if part.startswith("#") else "paragraph"
        blocks.append(Block(start, start + len(part), kind, ""))
        at = start + len(part)
    quoted = whole.find("> On 12 Jan")
    excluded = (Excluded(quoted, len(whole), "quoted_mail"),) if quoted >= 0 else ()
    return SourceText(source_id, whole, sha(whole), tuple(blocks), excluded)


def evidence(statement_id: str, source_id: str, excerpt: str, location: str) -> Evidence:
    whole, found = TEXTS[source_id], sources()[source_id]
    start = whole.index(excerpt)
    return Evidence(
        id=f"ev_{statement_id[3:]}_{source_id[4:]}", statement_id=statement_id, document_id=found.document_id,
        source_id=source_id, source_name=found.name, source_path=found.path, source_type=found.type,
        version=found.content_hash, text_hash=sha(whole), representation="text@1", segmentation="sentences@1",
        chunk_id="ch_1", location=location, start=start, end=start + len(excerpt), excerpt=excerpt,
        excerpt_hash=sha(excerpt), extractor="rules@1", confidence=0.9, missing=False,
    )  # fmt: skip


def statement(
    statement_id: str, words: str, source_id: str, excerpt: str, *, key: str = "", value: str = "",
    support: Support = Support.DIRECT_FACT, conflicts: tuple[str, ...] = (), location: str = "paragraph 2",
) -> Statement:  # fmt: skip
    subject = key.partition("|")[0]
    frame = (
        Frame(subject, key.partition("|")[2], value, value, "", "affirmed", "stated", (), "", "", "") if key else None
    )
    return Statement(
        id=statement_id, base_id="proj_falcon", type="fact", subject="Project Falcon", subject_origin="named",
        text=words, attribute_key=key, attribute_value=value, frame=frame, support=support,
        support_label_raw=support.value, support_reason="Stated outright in one sentence.", confidence=0.9,
        status=Status.DISPUTED if conflicts else Status.ACTIVE, band=Band.TENANT, entity_ids=("ent_falcon",),
        effective_date=value if value.startswith("2026") else "", recorded_at=AT, extractor="rules@1",
        review_status="none", superseded_by=None, evidence_count=1, origins=1,
        document_ids=(f"doc_{source_id[4:]}",), source_ids=(source_id,), conflict_ids=conflicts,
        entities=(EntityRef("ent_falcon", "Project Falcon", "project"),),
        evidence=(evidence(statement_id, source_id, excerpt, location),),
    )  # fmt: skip


def statements() -> dict[str, Statement]:
    date_a = "The launch date for Project Falcon is March 3, 2026."
    date_b = "The launch date has moved to April 10 because the Northwind parts slipped."
    made = [
        statement("ki_3", date_a, "src_memo", date_a, key="falcon|launch_date", value="2026-03-03", conflicts=("cf_date",)),
        statement("ki_10", "The launch date for Project Falcon has moved to April 10, 2026.", "src_mail", date_b, key="falcon|launch_date", value="2026-04-10", conflicts=("cf_date",), location="message body, paragraph 2"),
        statement("ki_24", "Northwind expects to deliver the actuator assemblies on March 24, 2026.", "src_mail", "Northwind now expects to deliver the actuator assemblies on March 24.", support=Support.UNCERTAIN_INFERENCE),
        statement("ki_week", "A week may be recovered if the second test cell is free.", "src_mail", "Priya thinks we may be able to recover a week if the second test cell is free.", support=Support.SUPPORTED_INFERENCE),
        statement("ki_dana", "The customer has already agreed to the new date.", "src_mail", "I heard from Dana that the customer has already agreed to the new date.", support=Support.UNVERIFIED_CLAIM),
        statement("ki_120", "The budget for Falcon is $1.20M.", "src_memo", "The budget for Falcon is $1.20M.", key="falcon|budget", value="USD 1200000", conflicts=("cf_budget",)),
        statement("ki_135", "The budget for Falcon is $1.35M.", "src_mail", "The budget for Falcon is unchanged at $1.35M.", key="falcon|budget", value="USD 1350000", conflicts=("cf_budget",)),
        statement("ki_req", "The legacy adapter is required for the first release.", "src_memo", "The legacy adapter is required for the first release.", key="legacy_adapter|requirement", value="required", conflicts=("cf_adapter",)),
        statement("ki_opt", "The legacy adapter is optional for the first release.", "src_notes", "The legacy adapter is optional for the first release.", key="legacy_adapter|requirement", value="optional", conflicts=("cf_adapter",)),
    ]  # fmt: skip
    return {each.id: each for each in made}


def conflict(
    conflict_id: str, kind: str, key: str, subject: str, left: str, right: str, known: dict[str, Statement]
) -> Conflict:
    pair = [known[left], known[right]]
    sides = tuple(
        Side(f"side_{one.id}", one.attribute_value, one.attribute_value, (one.id,), one.source_ids, 1, sha(one.id))
        for one in pair
    )
    return Conflict(
        id=conflict_id, type=kind, subject=subject, attribute_key=key, status=ConflictStatus.OPEN,
        description=f"2 different values were stated for {key.partition('|')[2]}.", why="Both cannot hold.",
        sides=sides, statement_ids=(left, right), source_ids=tuple(one.source_ids[0] for one in pair),
        suggestion=Suggestion(sides[1].id, "Only this statement comes from a dated source (2026-02-18)."),
        ruling=None, assignee="", digest=sha(conflict_id), detected_at=AT, statements=tuple(pair),
    )  # fmt: skip


def conflicts() -> dict[str, Conflict]:
    known = statements()
    twins = Conflict(
        id="cf_twin", type="duplicate_source", subject="01-kickoff-memo.md", attribute_key="",
        status=ConflictStatus.OPEN, description="Two sources hold the same text.", why="", assignee="", digest=sha("twin"),
        sides=tuple(Side(f"side_{each}", sources()[each].name, "", (), (each,), 1, sha(each)) for each in ("src_memo", "src_copy")),
        statement_ids=(), source_ids=("src_memo", "src_copy"), suggestion=None, ruling=None, detected_at=AT,
    )  # fmt: skip
    made = [
        conflict("cf_date", "attribute_mismatch", "falcon|launch_date", "Project Falcon", "ki_3", "ki_10", known),
        conflict("cf_budget", "attribute_mismatch", "falcon|budget", "Project Falcon", "ki_120", "ki_135", known),
        conflict(
            "cf_adapter", "contradiction", "legacy_adapter|requirement", "the legacy adapter", "ki_req", "ki_opt", known
        ),
        twins,
    ]
    return {each.id: each for each in made}


def entities() -> dict[str, Entity]:
    made = [
        Entity("ent_falcon", "project", "Project Falcon", (Alias("Falcon", "short", "A shorter form", 0.9),), 12, 8),
        Entity(
            "ent_smith",
            "person",
            "Robert Smith",
            (Alias("Bob", "nickname", "A nickname of Robert", 0.8, separable=True),),
            4,
            2,
        ),
        Entity("ent_smyth", "person", "Robert Smyth", (), 1, 1),
        Entity("ent_northwind", "organisation", "Northwind Aero", (), 3, 1),
    ]
    return {each.id: each for each in made}


def neighbours(entity_id: str, known: dict[str, Entity], said: dict[str, Statement]) -> Neighbours:
    """Every other entity, as if statements named it with this one: the first one most often."""
    some = list(said.values())
    others = [EntityRef(each.id, each.name, each.type) for each in known.values() if each.id != entity_id]
    edges = [
        Edge(statement, entity_id, each.id, "mentions", is_inverse=False, depth=1)
        for at, each in enumerate(others)
        for statement in some[at : at + len(others) - at]
    ]
    start = EntityRef(entity_id, known[entity_id].name, known[entity_id].type)
    return Neighbours(start, tuple((each, 1) for each in others), tuple(edges), is_truncated=False, view_id="1:1")


def candidates() -> dict[str, MergeCandidate]:
    known, said = entities(), statements()
    sides = (
        CandidateSide(known["ent_smith"], (said["ki_dana"],)),
        CandidateSide(known["ent_smyth"], (said["ki_week"],)),
    )
    one = MergeCandidate(
        "mc_smith",
        "spelling",
        "their names differ by one letter",
        0.6,
        "open",
        sides,
        "",
        "",
        None,
        sha("mc_smith"),
        AT,
    )
    return {one.id: one}


def job(status: JobStatus, *, done: int = 11) -> Job:
    stages = tuple(
        Stage(name, "done" if at < done else "running" if at == done and status is JobStatus.RUNNING else "waiting", 4, 4 if at < done else 2 if at == done else 0, 0, 0, ())
        for at, name in enumerate(STAGES)
    )  # fmt: skip
    failed = status is JobStatus.FAILED
    return Job(
        id="job_7c1e40", base_id="proj_falcon", kind="process", status=status, queued_behind=None,
        current_stage=STAGES[min(done, 10)], progress=done / 11, cancel_requested=False,
        error_code="parser_timeout" if failed else "", error_message="The parser was stopped after 60 s." if failed else "",
        error_stage="parsing_extraction" if failed else "", stages=stages, attempts=1, queued_at=AT, started_at=AT,
        finished_at=AT if status.ended else None,
    )  # fmt: skip


def package_import(import_id: str = "imp_0", **told: object) -> Import:
    """A package that was looked through and waits for a person."""
    plan = ImportPlan(
        documents=Tally(14, 1, 3, 2),
        statements=Tally(212, 0, 31, 0),
        decisions=Tally(6, 0, 1, 1),
        general=3,
        governing=1,
        examples=(
            ImportExample("document", "updates", "handover/Falcon_Plan.docx", ""),
            ImportExample("document", "skips", "handover/minutes/2026-03.md", "It is here already."),
            ImportExample(
                "document",
                "keeps",
                "handover/Budget_2026.csv",
                "Another version is here, which the package does not know.",
            ),
            ImportExample("decision", "keeps", "falcon|launch_date", "Ida Berg decided later here."),
        ),
    )
    given: dict[str, object] = {
        "base_id": "proj_falcon",
        "status": "ready",
        "size_bytes": 84_211,
        "sha256": "5b" * 32,
        "producer_id": "fgi_90c1aa",
        "producer_base": "Falcon at the yard",
        "producer_revision": 12,
        "plan": plan,
        "outcome": None,
        "job_id": "",
        "actor": "Ida Berg",
        "error": "",
        "created_at": AT,
        "expires_at": None,
        "finished_at": None,
    }
    return Import(id=import_id, **{**given, **told})  # type: ignore[arg-type]
