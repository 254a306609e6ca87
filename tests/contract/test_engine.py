"""A real engine's traffic against the schemas, and our client against a real engine."""

import base64
import io
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from knowledge.context import build_context, render
from knowledge.contract import Admission, Allowance, Budgets, admit, packet_from_json, packet_of, packet_to_json
from knowledge.contract import Status as Admitted
from knowledge.engine.cache import ReadCache
from knowledge.engine.circuit import Circuit
from knowledge.engine.client import EngineAccess, EngineClient
from knowledge.engine.fence import Alarm
from knowledge.engine.providers import ForagerProvider
from knowledge.engine.wire_feed import read_entry
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.proof import proof_of
from knowledge.provider import Decision, Facets, StateChange, StatementFilter, UploadFile
from knowledge.records import FeedEvent
from knowledge.scope import KnowledgeScope, Level
from knowledge.vocabulary import Status
from tests.contract.schemas import validate
from tests.engine_process import EngineProcess

FALCON = Path(__file__).parents[2] / "examples" / "falcon"


@dataclass(frozen=True)
class Loaded:
    """An engine that has read the Falcon documents, and what was asked of it since."""

    provider: ForagerProvider
    scope: KnowledgeScope
    other: KnowledgeScope
    http: httpx2.Client
    alarms: list[Alarm]

    def get(self, path: str, **query: str) -> Any:
        return self.http.get(f"/api/{path}", params=query).json()


def value[T](outcome: Outcome[T]) -> T:
    assert isinstance(outcome, Ok), outcome
    return outcome.value


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    process = EngineProcess(tmp_path_factory.mktemp("engine")).start()
    alarms: list[Alarm] = []
    with (
        httpx2.Client(trust_env=False) as http,
        httpx2.Client(
            base_url=process.endpoint, headers={"Authorization": f"Bearer {process.key}"}, trust_env=False
        ) as plain,
    ):
        access = EngineAccess(process.endpoint, process.key)
        client = EngineClient(http, Circuit())
        provider = ForagerProvider(access, client=client, on_alarm=alarms.append, cache=ReadCache(), cache_seconds=30)
        scopes = [
            KnowledgeScope(Level.PROJECT, value(provider.create_base(name=name, description="")).id, name)
            for name in ("falcon", "other")
        ]
        _load(provider, scopes[0])
        yield Loaded(provider, scopes[0], scopes[1], plain, alarms)
    assert process.stop() == 0


def _load(provider: ForagerProvider, scope: KnowledgeScope) -> None:
    opened = [UploadFile(path.name, path.open("rb")) for path in sorted(FALCON.iterdir())]
    uploaded = value(provider.upload(scope, opened))
    for file in opened:
        file.content.close()
    assert len(uploaded.sources) == 9
    job = value(provider.process(scope))
    deadline = time.monotonic() + 60
    while not job.status.ended and time.monotonic() < deadline:
        time.sleep(0.1)
        job = value(provider.job(scope, job.id))
    assert job.status.value == "completed"


@pytest.mark.parametrize(
    ("route", "shape"),
    [
        ("sources", "source"),
        ("documents", "document"),
        ("jobs", "job"),
        ("knowledge", "item"),
        ("entities", "entity"),
        ("conflicts", "conflict"),
        ("review-events", "review_event"),
        ("exports", "export"),
        ("imports", "import"),
        ("revisions", "revision"),
    ],
)
def test_every_list_of_a_base_has_the_agreed_shape(loaded: Loaded, route: str, shape: str) -> None:
    validate("list", loaded.get(f"projects/{loaded.scope.base_id}/{route}", page_size="200"), of=shape)


def test_the_engine_and_its_bases_have_the_agreed_shape(loaded: Loaded) -> None:
    validate("ready", loaded.get("ready"))
    validate("capabilities", loaded.get("capabilities"))
    validate("feed", loaded.get("feed"))
    validate("list", loaded.get("projects"), of="project")


def test_details_and_searches_have_the_agreed_shape(loaded: Loaded) -> None:
    base = loaded.scope.base_id
    statement = value(loaded.provider.statements(loaded.scope, StatementFilter())).items[0]
    source = value(loaded.provider.sources(loaded.scope)).items[0]
    validate("item", loaded.get(f"knowledge/{statement.id}"))
    validate("list", loaded.get(f"knowledge/{statement.id}/evidence"), of="evidence")
    validate("text", loaded.get(f"sources/{source.id}/text"))
    validate("search", loaded.get(f"projects/{base}/search", q="launch date"))
    expanded = loaded.get(f"projects/{base}/knowledge", ids=statement.id, expand="evidence,entities,conflicts")
    validate("list", expanded, of="item")


@pytest.mark.parametrize(
    ("path", "status"),
    [("knowledge/ki_none", 404), ("nowhere", 404), ("projects?surprise=1", 400), ("sources/src_none/text", 404)],
)
def test_refusals_have_the_agreed_shape(loaded: Loaded, path: str, status: int) -> None:
    response = loaded.http.get(f"/api/{path}")
    assert response.status_code == status
    validate("error", response.json())


def test_without_a_credential_nothing_is_told(loaded: Loaded) -> None:
    response = loaded.http.get("/api/projects", headers={"Authorization": ""})
    assert response.status_code == 401
    validate("error", response.json())


def test_an_id_of_another_base_is_not_found_like_an_unknown_one(loaded: Loaded) -> None:
    statement = value(loaded.provider.statements(loaded.scope, StatementFilter())).items[0]
    foreign = loaded.provider.statement(loaded.other, statement.id)
    unknown = loaded.provider.statement(loaded.other, "ki_none")
    assert isinstance(foreign, Failed)
    assert isinstance(unknown, Failed)
    assert (foreign.failure, foreign.reason, foreign.fields) == (unknown.failure, unknown.reason, unknown.fields)
    assert value(loaded.provider.statements_by_id(loaded.other, [statement.id])).items == ()
    assert loaded.alarms == []


def test_facets_and_days_narrow_what_a_search_and_a_list_answer(loaded: Loaded) -> None:
    found = value(loaded.provider.search(loaded.scope, "Falcon launch", limit=50)).hits
    one = next(hit.statement for hit in found if hit.statement.entity_ids)
    facets = Facets(one.support.value, one.status.value, one.type, one.entity_ids[0], one.source_ids[0], one.band.value)
    narrowed = value(loaded.provider.search(loaded.scope, "Falcon launch", limit=50, facets=facets)).hits
    assert one.id in {hit.statement.id for hit in narrowed}
    assert len(narrowed) < len(found)
    listed = value(loaded.provider.statements(loaded.scope, StatementFilter(type=one.type, band=one.band.value))).items
    assert {each.type for each in listed} == {one.type}
    past = "2001-01-01T23:59:59.999999+01:00"
    assert value(loaded.provider.search(loaded.scope, "Falcon launch", known_at=past)).hits == ()
    assert value(loaded.provider.statements_by_id(loaded.scope, [one.id], known_at=past)).items == ()
    assert value(loaded.provider.statements_by_id(loaded.scope, [one.id])).items[0].id == one.id


def test_the_example_holds_the_disagreements_its_story_tells(loaded: Loaded) -> None:
    found = value(loaded.provider.conflicts(loaded.scope, page_size=200)).items
    assert sorted(conflict.type for conflict in found) == [
        *["attribute_mismatch"] * 4,
        "contradiction",
        "duplicate_source",
    ]


def test_a_question_is_answered_with_the_conflict_before_the_facts(loaded: Loaded) -> None:
    context = value(build_context(loaded.provider, loaded.scope, "Why was the Falcon launch date changed?"))
    text = render(context)
    assert context.facts_without_provenance() == ()
    assert text.index("on falcon|launch_date — UNRESOLVED") < text.index("FACTS\n")
    assert '"The launch date for Project Falcon is March 3, 2026."' in text
    assert "02-schedule-update.eml (message body)" in text
    assert loaded.alarms == []


@pytest.mark.parametrize("question", ["x" * 4000, "漢" * 500])
def test_a_question_may_be_as_long_as_is_declared(loaded: Loaded, question: str) -> None:
    assert loaded.http.get(f"/api/projects/{loaded.scope.base_id}/search", params={"q": question}).status_code == 200
    assert isinstance(loaded.provider.search(loaded.scope, question), Ok)


def test_the_feed_is_read_page_by_page_and_a_foreign_cursor_says_where_to_go_on(loaded: Loaded) -> None:
    first = value(loaded.provider.feed(limit=1))
    (event,) = first.entries
    assert isinstance(event, FeedEvent)
    assert (event.type, event.base_id) == ("knowledge.revision.published", loaded.scope.base_id)
    assert read_entry(event.payload) == event
    rest = value(loaded.provider.feed(cursor=first.next_cursor))
    assert event.id not in [each.id for each in rest.entries if isinstance(each, FeedEvent)]
    foreign = base64.urlsafe_b64encode(b'["gen_other",0]').decode().rstrip("=")
    refused = loaded.provider.feed(cursor=foreign)
    assert isinstance(refused, Failed)
    told = dict(refused.fields)
    assert told["code"] == "cursor_expired"
    assert value(loaded.provider.feed(cursor=told["oldest"], limit=1)).entries == first.entries


def test_a_ruling_on_a_moved_digest_changes_nothing(loaded: Loaded) -> None:
    first = value(loaded.provider.conflicts(loaded.scope, status="open")).items[0]
    conflict = value(loaded.provider.conflict(loaded.scope, first.id))
    outcome = loaded.provider.resolve(loaded.scope, conflict.id, Decision("neither", "ada", "", "not the digest"))
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.CONFLICT
    assert value(loaded.provider.conflict(loaded.scope, conflict.id)) == conflict


def test_the_original_bytes_come_back(loaded: Loaded) -> None:
    source = next(s for s in value(loaded.provider.sources(loaded.scope)).items if s.name.startswith("08"))
    download = value(loaded.provider.source_content(loaded.scope, source.id))
    assert b"".join(download.chunks) == (FALCON / source.name).read_bytes()


def test_the_proof_of_a_statement_of_a_real_engine_checks_itself(loaded: Loaded, tmp_path: Path) -> None:
    statements = value(loaded.provider.statements(loaded.scope, StatementFilter(page_size=200))).items
    disputed = next(each for each in statements if each.status is Status.DISPUTED)
    plain = next(each for each in statements if each.status is Status.ACTIVE)
    for each in (disputed, plain):
        proof = value(proof_of(loaded.provider, loaded.scope, each.id))
        folder = tmp_path / each.id
        zipfile.ZipFile(io.BytesIO(proof.content)).extractall(folder)
        run = subprocess.run(
            [sys.executable, "-I", str(folder / "check.py")], capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stdout) == (0, "nothing is wrong\n")
        disputes = json.loads((folder / "trail.json").read_text("utf-8"))["disputes"]
        assert bool(disputes) is (each is disputed)
    foreign = proof_of(loaded.provider, loaded.other, plain.id)
    assert isinstance(foreign, Failed)
    assert foreign.failure is Failure.NOT_FOUND


def test_a_source_suspended_between_retrieval_and_admission_is_refused_live(loaded: Loaded) -> None:
    provider, scope = loaded.provider, loaded.scope
    made = value(packet_of(provider, scope, "When does Project Falcon launch?", allowance=Allowance(), top_k=5))
    assert packet_from_json(packet_to_json(made)) == made

    def admitted() -> Admission:
        return value(
            admit(
                made,
                provider=provider,
                scope=scope,
                allowance=Allowance(),
                budgets=Budgets(evidence=20_000, prompt=30_000),
                system_instruction="Answer from the evidence alone.",
            )
        )

    before = admitted()
    assert before.status is Admitted.ADMITTED
    gone = before.admitted[0].row
    value(provider.change_state(scope, gone.document_id, StateChange("suspended", "mara", "checked", "under_review")))
    try:
        after = admitted()
    finally:
        value(provider.change_state(scope, gone.document_id, StateChange("active", "mara", "checked", "cleared")))
    assert after.status is Admitted.PARTIAL
    assert {row.row.source_id for row in after.admitted}.isdisjoint({gone.source_id})
    assert {each.public for each in after.excluded} == {"evidence_unavailable"}
    assert before.admitted[0].text not in after.prompt
    assert admitted().prompt == before.prompt
