"""What the engine answers, read and fenced."""

from io import BytesIO

import httpx2
import pytest

from knowledge.engine.providers import NullProvider
from knowledge.engine.wire import Row
from knowledge.engine.wire_engine import read_review_event
from knowledge.failures import Failed, Failure, Ok
from knowledge.provider import Decision, Reference, StatementFilter, UploadFile
from knowledge.records import Batch
from knowledge.vocabulary import Band, Status, Support
from tests.knowledge.wire_rows import AT, BASE, GLOBAL_SCOPE, SCOPE, Engine, conflict, evidence, item, page, search

ITEMS = f"GET projects/{BASE}/knowledge"


def test_a_statement_is_read_whole() -> None:
    found = Engine({"GET knowledge/ki_1": item()}).provider().statement(SCOPE, "ki_1")
    assert isinstance(found, Ok)
    assert found.value.text == "The roof is red."
    assert found.value.support is Support.DIRECT_FACT
    assert found.value.evidence[0].location == "Line 1"
    assert found.value.effective_date == ""


def test_unknown_words_become_unknown_and_never_a_plausible_one() -> None:
    row = item(support="certain", status="fine", scope="public")
    found = Engine({"GET knowledge/ki_1": row}).provider().statement(SCOPE, "ki_1")
    assert isinstance(found, Ok)
    assert (found.value.support, found.value.status, found.value.band) == (Support.UNKNOWN, Status.UNKNOWN, Band.TENANT)
    assert found.value.support_label_raw == "certain"


@pytest.mark.parametrize(
    "changes",
    [
        {"statement": None},
        {"statement": 3},
        {"id": ""},
        {"support": None},
        {"confidence": "0.9"},
        {"confidence": 1.5},
        {"confidence": True},
        {"project_id": None},
        {"entity_ids": [1]},
        {"evidence": [evidence(start=5, end=1)]},
        {"evidence": ["x"]},
        {"recorded_at": "yesterday"},
        {"recorded_at": "2026-02-18T16:05:00"},
    ],
)
def test_an_ill_typed_field_makes_the_whole_answer_malformed(changes: dict[str, object]) -> None:
    provider = Engine({"GET knowledge/ki_1": item(**changes), ITEMS: page(item("ki_2"), item(**changes))}).provider()
    for outcome in (provider.statement(SCOPE, "ki_1"), provider.statements(SCOPE, StatementFilter())):
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.MALFORMED
        assert "yesterday" not in outcome.reason


def test_a_row_of_another_base_is_dropped_and_raises_an_alarm() -> None:
    engine = Engine({ITEMS: page(item("ki_1"), item("ki_2", project_id="proj_other"))})
    found = engine.provider().statements(SCOPE, StatementFilter())
    assert isinstance(found, Ok)
    assert [statement.id for statement in found.value.items] == ["ki_1"]
    assert [(alarm.kind, alarm.route, alarm.base_id) for alarm in engine.alarms] == [
        ("foreign_base", "GET projects/…/knowledge", BASE)
    ]


def test_a_single_row_of_another_base_is_not_found_like_an_unknown_one() -> None:
    engine = Engine({"GET knowledge/ki_1": item(project_id="proj_other")})
    foreign = engine.provider().statement(SCOPE, "ki_1")
    unknown = engine.provider().statement(SCOPE, "ki_2")
    assert isinstance(foreign, Failed)
    assert isinstance(unknown, Failed)
    assert (foreign.failure, foreign.reason) == (unknown.failure, unknown.reason)
    assert len(engine.alarms) == 1


def test_a_global_scope_reads_general_rows_only() -> None:
    rows = page(item("ki_1", scope="general"), item("ki_2", scope="tenant"), item("ki_3", scope="other"))
    engine = Engine({ITEMS: rows})
    found = engine.provider().statements(GLOBAL_SCOPE, StatementFilter())
    assert isinstance(found, Ok)
    assert [statement.id for statement in found.value.items] == ["ki_1"]
    assert {alarm.kind for alarm in engine.alarms} == {"hidden_band"}


def test_search_hits_and_conflicts_are_fenced_by_the_statements_inside() -> None:
    foreign = item("ki_2", project_id="proj_other")
    engine = Engine(
        {
            f"GET projects/{BASE}/search": search(item(), foreign),
            f"GET projects/{BASE}/conflicts": page(conflict(), conflict(id="cf_2", items=[foreign])),
        }
    )
    provider = engine.provider()
    hits, conflicts = provider.search(SCOPE, "roof"), provider.conflicts(SCOPE)
    assert isinstance(hits, Ok)
    assert isinstance(conflicts, Ok)
    assert [hit.statement.id for hit in hits.value.hits] == ["ki_1"]
    assert [found.id for found in conflicts.value.items] == ["cf_1"]
    assert len(engine.alarms) == 2


def test_many_statements_are_fetched_in_batches_and_given_in_the_order_asked() -> None:
    def answer(request: httpx2.Request) -> object:
        return page(*(item(key) for key in sorted(request.url.params["ids"].split(","))))

    engine = Engine({ITEMS: answer})
    ids = [f"ki_{number}" for number in range(120, 0, -1)]
    found = engine.provider().statements_by_id(SCOPE, [*ids, "ki_1"])
    assert isinstance(found, Ok)
    assert [statement.id for statement in found.value.items] == ids
    assert [len(request.url.params["ids"].split(",")) for request in engine.asked] == [50, 50, 20]


def test_a_batch_that_tells_of_conflicts_and_entities_is_read_with_them_and_fenced() -> None:
    foreign = conflict(id="cf_2", items=[item("ki_9", project_id="proj_other")])
    entity = {"id": "ent_1", "type": "place", "canonical_name": "Hall", "aliases": [], "confidence": 1, "status": "ok"}
    rows = page(item(), conflicts=[conflict(), foreign], entities=[entity, entity | {"project_id": "proj_other"}])
    engine = Engine({ITEMS: rows})
    found = engine.provider().statements_by_id(SCOPE, ["ki_1"])
    assert isinstance(found, Ok)
    assert isinstance(found.value, Batch)
    assert [one.id for one in found.value.conflicts] == ["cf_1"]
    assert [one.name for one in found.value.related] == ["Hall"]
    assert len(engine.alarms) == 2


def test_a_batch_without_them_is_a_plain_page() -> None:
    found = Engine({ITEMS: page(item())}).provider().statements_by_id(SCOPE, ["ki_1"])
    assert isinstance(found, Ok)
    assert not isinstance(found.value, Batch)


def test_an_upload_sends_files_and_paths_in_step() -> None:
    engine = Engine({f"POST projects/{BASE}/sources": {"items": [], "refused": []}})
    files = [UploadFile("a/b.txt", BytesIO(b"one")), UploadFile("c.txt", BytesIO(b"two"))]
    assert isinstance(engine.provider().upload(SCOPE, files), Ok)
    sent = engine.asked[0].content.decode()
    assert sent.index("one") < sent.index("two")
    assert sent.index("a/b.txt") < sent.index("\r\n\r\nc.txt")
    assert 'filename="b.txt"' in sent
    assert engine.asked[0].headers["Idempotency-Key"].startswith("idem_")


def test_a_ruling_sends_only_what_it_decides() -> None:
    engine = Engine({"POST conflicts/cf_1/resolve": conflict(status="resolved")})
    decision = Decision("choose_side", "ada", "because", "dd", side_id="sd_1")
    assert isinstance(engine.provider().resolve(SCOPE, "cf_1", decision), Ok)
    assert b"discriminator" not in engine.asked[0].content
    assert b'"side_id":"sd_1"' in engine.asked[0].content.replace(b": ", b":")


def test_a_moved_digest_is_a_conflict_with_what_the_engine_said() -> None:
    body = {"error": {"code": "conflict", "message": "A statement was added.", "fields": {"digest": "ee"}}}
    engine = Engine({"POST conflicts/cf_1/resolve": httpx2.Response(409, json=body)})
    outcome = engine.provider().resolve(SCOPE, "cf_1", Decision("neither", "ada", "", "dd"))
    assert isinstance(outcome, Failed)
    assert (outcome.failure, outcome.reason) == (Failure.CONFLICT, "A statement was added.")


@pytest.mark.parametrize("wanted", ["", "../projects", "ki_1/evidence", "ki 1", "ki_1?x=1", "%2e%2e", "a" * 300])
def test_what_cannot_be_an_id_is_not_found_without_asking(wanted: str) -> None:
    engine = Engine({})
    outcome = engine.provider().statement(SCOPE, wanted)
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.NOT_FOUND
    assert engine.asked == []


def capabilities(**changes: object) -> dict[str, object]:
    row: dict[str, object] = {
        "protocol_version": 1,
        "engine": {"name": "forager", "version": "0.1"},
        "instance": {"instance_id": "fgi_1", "generation": "gen_1", "data_dir": "/d"},
        "database": "sqlite",
        "search_backend": "sqlite-fts5",
        "model_provider": "none",
        "capabilities": {"retrieval": True, "walk": False, "exports": {"anthill": {"package_version": 7}, "jsonl": {}}},
        "limits": {"max_file_bytes": 1, "max_files": 2, "query_chars": 3},
    }
    return row | changes


def test_the_engine_says_who_it_is_and_what_it_can() -> None:
    found = Engine({"GET capabilities": capabilities()}).provider().engine()
    assert isinstance(found, Ok)
    assert found.value.package_version == 7
    assert found.value.capabilities == frozenset({"retrieval", "export:anthill", "export:jsonl"})


def test_another_protocol_is_incompatible_whatever_else_it_sends() -> None:
    found = Engine({"GET capabilities": {"protocol_version": 2, "engine": "new shape"}}).provider().engine()
    assert isinstance(found, Failed)
    assert found.failure is Failure.INCOMPATIBLE


def test_a_download_streams_with_a_bare_name() -> None:
    headers = {"Content-Disposition": 'attachment; filename="../../etc/x.zip"', "Content-Type": "application/zip"}
    engine = Engine({"GET exports/exp_1/download": httpx2.Response(200, content=b"zip", headers=headers)})
    found = engine.provider().export_content(SCOPE, "exp_1")
    assert isinstance(found, Ok)
    assert (found.value.name, found.value.size_bytes) == ("x.zip", 3)
    assert b"".join(found.value.chunks) == b"zip"


def test_a_download_that_is_refused_is_a_failure() -> None:
    outcome = Engine({}).provider().source_content(SCOPE, "src_1")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.NOT_FOUND


def test_an_answer_about_other_references_than_were_asked_is_malformed() -> None:
    told = {
        "items": [{"item_id": "ki_2", "state": "ok"}],
        "knowledge": [],
        "successors": [],
        "sources": [],
        "view_id": "1:1",
    }
    engine = Engine({f"POST projects/{BASE}/references/standing": told})
    outcome = engine.provider().standing(SCOPE, [Reference("ki_1")])
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.MALFORMED


def test_rows_of_another_base_or_band_do_not_come_through_a_brief() -> None:
    told = {"project_id": BASE, "passages": [], "view_id": "1:1"}
    for odd in (item(project_id="proj_other"), item(scope="tenant")):
        engine = Engine({"GET knowledge/ki_1/brief": {**told, "item": odd}})
        outcome = engine.provider().statement_brief(GLOBAL_SCOPE, "ki_1")
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.NOT_FOUND
    shown = Engine({"GET knowledge/ki_1/brief": {**told, "item": item()}}).provider().statement_brief(SCOPE, "ki_1")
    assert isinstance(shown, Ok)


def test_past_versions_tell_no_band_and_reach_no_scope_that_may_not_read_all() -> None:
    past = {"item_id": "ki_1", "statement": "The roof was blue.", "support": "direct_fact", "confidence": 0.9}
    past |= {"status": "active", "recorded_at": AT, "ended_because": "", "source_ids": []}
    told = {"project_id": BASE, "item": item(scope="general"), "texts": [], "versions": [past], "disputes": []}
    provider = Engine({"GET knowledge/ki_1/grounds": told}).provider()
    whole, narrow = provider.grounds(SCOPE, "ki_1"), provider.grounds(GLOBAL_SCOPE, "ki_1")
    assert isinstance(whole, Ok)
    assert isinstance(narrow, Ok)
    assert (len(whole.value.versions), narrow.value.versions) == (1, ())


def test_text_offsets_outside_the_text_are_malformed() -> None:
    row = {"source_id": "src_1", "text": "abc", "text_hash": "x", "offset_unit": "codepoint", "excluded": []}
    blocks = [{"start": 0, "end": 4, "kind": "paragraph", "location": "Line 1"}]
    outcome = Engine({"GET sources/src_1/text": row | {"blocks": blocks}}).provider().source_text(SCOPE, "src_1")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.MALFORMED


def test_a_job_keeps_its_stored_progress() -> None:
    row = {
        "id": "job_1",
        "project_id": BASE,
        "kind": "process",
        "status": "running",
        "progress": 0.25,
        "stages": [{"stage": "chunking", "status": "running", "total": 4, "processed": 1, "failed": 0, "skipped": 0}],
        "queued_at": AT,
    }
    found = Engine({"GET jobs/job_1": row}).provider().job(SCOPE, "job_1")
    assert isinstance(found, Ok)
    assert (found.value.progress, found.value.stages[0].name) == (0.25, "chunking")


def test_the_null_provider_refuses_with_its_reason() -> None:
    outcome = NullProvider("No base is bound.", Failure.SCOPE_UNRESOLVED).search(SCOPE, "roof")
    assert (outcome.failure, outcome.reason) == (Failure.SCOPE_UNRESOLVED, "No base is bound.")


def test_a_ruling_in_the_trail_is_told_in_words_without_ids() -> None:
    event = {
        "id": "rve_1",
        "target_id": "cf_1",
        "action": "choose_side",
        "before": {"status": "open"},
        "after": {"status": "resolved", "action": "choose_side", "winner": "cs_1"},
        "actor": "mara",
        "notes": "",
        "at": "2026-02-18T09:00:00Z",
    }
    read = read_review_event(Row(event, "review event"))
    assert (read.before, read.after) == ("open", "resolved, choose side")
