"""The eight states of the engine, on every page, each with its reason and its next step."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.connection.models import EngineProcess, KnownEngine
from console.connection.states import State
from console.projects.models import Project
from knowledge.failures import Failed, Failure, Ok
from tests.console import falcon
from tests.console.fake import FakeProvider

PROJECT = "/p/falcon-programme"
PAGES = (
    f"{PROJECT}/sources",
    f"{PROJECT}/sources/src_mail",
    f"{PROJECT}/knowledge",
    f"{PROJECT}/knowledge?q=launch",
    f"{PROJECT}/knowledge/agent?q=launch",
    f"{PROJECT}/knowledge/entities",
    f"{PROJECT}/knowledge/ki_10",
    f"{PROJECT}/review",
    f"{PROJECT}/review/cf_date",
    f"{PROJECT}/review/history",
    f"{PROJECT}/export",
    "/connection",
)


@dataclass(frozen=True)
class Case:
    state: State
    arrange: Callable[[FakeProvider, pytest.MonkeyPatch], None]
    reason: str
    next_step: str


def _off(_engine: FakeProvider, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("ANTHILL_KNOWLEDGE_ENABLED", "0")


def _not_configured(_engine: FakeProvider, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("ANTHILL_KNOWLEDGE_FORAGER_TOKEN", "")


def _starting(engine: FakeProvider, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("ANTHILL_KNOWLEDGE_MODE", "managed")
    EngineProcess.objects.create(pk=1, phase=EngineProcess.Phase.STARTING, heartbeat_at=timezone.now())
    engine.engine_outcome = Failed(Failure.UNAVAILABLE, "Connection refused.")


def _unreachable(engine: FakeProvider, _patch: pytest.MonkeyPatch) -> None:
    engine.engine_outcome = Failed(Failure.TIMEOUT, "No reply within 2000 ms.", limit_ms=2000)


def _signed_out(engine: FakeProvider, _patch: pytest.MonkeyPatch) -> None:
    engine.engine_outcome = Failed(Failure.UNAUTHORIZED, "The engine refused the token.")


def _incompatible(engine: FakeProvider, _patch: pytest.MonkeyPatch) -> None:
    engine.engine_outcome = Ok(replace(falcon.engine(), protocol_version=2))


def _wrong(_engine: FakeProvider, _patch: pytest.MonkeyPatch) -> None:
    KnownEngine.objects.update(instance_id="fgi_another")


def _ready(_engine: FakeProvider, _patch: pytest.MonkeyPatch) -> None:
    """Nothing to arrange."""


CASES = [
    Case(State.OFF, _off, "not to read any knowledge base", "turns it on under Connection"),
    Case(State.NOT_CONFIGURED, _not_configured, "knowledge_forager_token is empty", "Set knowledge_forager_token"),
    Case(State.STARTING, _starting, "opening its store", "load this page again"),
    Case(State.UNREACHABLE, _unreachable, "No reply within 2000 ms.", "Start the engine"),
    Case(State.SIGNED_OUT, _signed_out, "refused our token with 401", "Set a new knowledge_forager_token"),
    Case(State.INCOMPATIBLE, _incompatible, "protocol 2", "update this console"),
    Case(State.WRONG_ENGINE, _wrong, "where fgi_another was pinned", "confirm the new one"),
]


@pytest.mark.parametrize("url", PAGES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.state.value)
def test_every_page_says_why_and_what_next(
    as_owner: Client, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch, case: Case, url: str
) -> None:
    case.arrange(engine, monkeypatch)
    answer = as_owner.get(url)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert case.reason in page
    assert case.next_step in page
    assert "Falcon programme" in page


@pytest.mark.parametrize("url", PAGES)
def test_a_ready_engine_needs_nothing(as_owner: Client, url: str) -> None:
    page = as_owner.get(url).content.decode()
    assert "Engine ready" in page


def test_the_first_engine_to_answer_is_pinned(as_owner: Client) -> None:
    KnownEngine.objects.all().delete()
    as_owner.get("/connection")
    assert KnownEngine.objects.get().instance_id == "fgi_5d0f27"


def test_a_restored_store_is_another_generation(as_owner: Client) -> None:
    KnownEngine.objects.update(generation="gen_2")
    assert "a restored store" in as_owner.get("/connection").content.decode()


def test_an_administrator_confirms_the_answering_engine(as_owner: Client) -> None:
    KnownEngine.objects.update(instance_id="fgi_another")
    assert as_owner.post("/connection/engine").status_code == 302
    assert "Engine ready" in as_owner.get("/p/falcon-programme/sources").content.decode()


def test_a_given_up_engine_tells_its_last_words(
    as_owner: Client, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_MODE", "managed")
    engine.engine_outcome = Failed(Failure.UNAVAILABLE, "Connection refused.")
    EngineProcess.objects.create(
        pk=1, phase=EngineProcess.Phase.FAILED, reason="Disk full.", heartbeat_at=timezone.now()
    )
    assert "It stopped too often and was given up: Disk full." in as_owner.get("/connection").content.decode()


def test_a_call_that_fails_on_a_ready_engine_says_what_was_kept(as_owner: Client, engine: FakeProvider) -> None:
    engine.failures["queue"] = Failed(Failure.TIMEOUT, "No answer within 5000 ms.", "req_1")
    answer = as_owner.get("/p/falcon-programme/review")
    page = answer.content.decode()
    assert answer.status_code == 503
    assert "No answer within 5000 ms." in page
    assert "Nothing was changed." in page
    assert "req_1" in page


def test_a_base_that_is_gone_asks_for_another(as_owner: Client, engine: FakeProvider) -> None:
    engine.known_bases.clear()
    page = as_owner.get("/p/falcon-programme/sources").content.decode()
    assert "The knowledge base is gone" in page
    assert "Choose another knowledge base" in page


def test_a_token_saved_on_the_page_is_sealed_and_never_shown(
    as_owner: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from console.audit.models import AuditEvent
    from console.connection.models import StoredSetting
    from console.connection.settings import read_settings

    monkeypatch.delenv("ANTHILL_KNOWLEDGE_FORAGER_TOKEN")
    fields = {
        "knowledge_enabled": "on",
        "knowledge_forager_endpoint": "http://127.0.0.1:9000",
        "knowledge_forager_token": "fgr_planted_marker",
        "knowledge_retrieval_timeout_ms": "5000",
        "knowledge_ingestion_timeout_ms": "10000",
    }
    assert as_owner.post("/connection", fields).status_code == 302
    assert read_settings().token == "fgr_planted_marker"
    assert read_settings().endpoint == "http://127.0.0.1:9000"
    kept = [str(row) for row in StoredSetting.objects.values_list("value", flat=True)]
    trail = [f"{event.before}{event.after}" for event in AuditEvent.objects.all()]
    pages = as_owner.get("/connection").content.decode() + as_owner.get("/settings/audit").content.decode()
    assert "planted_marker" not in "".join([*kept, *trail, pages])


def test_a_remote_endpoint_is_refused_on_the_page(as_owner: Client) -> None:
    fields = {"knowledge_forager_endpoint": "http://10.0.0.7:8790", "knowledge_retrieval_timeout_ms": "5000"}
    answer = as_owner.post("/connection", fields | {"knowledge_ingestion_timeout_ms": "10000"})
    assert answer.status_code == 422
    assert "That address is on another machine." in answer.content.decode()


def test_a_managed_engine_is_reached_with_its_own_key_whatever_was_typed_before(
    as_owner: Client, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    from console.connection.models import StoredSetting
    from console.connection.settings import credential_path, read_settings, sealed

    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("ANTHILL_KNOWLEDGE_FORAGER_TOKEN")
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_MODE", "managed")
    monkeypatch.setenv("ANTHILL_ENGINE_PORT", "9123")
    credential_path().write_text("the host credential", "utf-8")
    StoredSetting.objects.create(name="knowledge_forager_token", value=sealed("fgr_mistyped"))
    StoredSetting.objects.create(name="knowledge_forager_endpoint", value="http://127.0.0.1:1")
    assert read_settings().token == "the host credential"
    assert read_settings().endpoint == "http://127.0.0.1:9123"
    monkeypatch.delenv("ANTHILL_ENGINE_PORT")
    assert read_settings().endpoint == "http://127.0.0.1:8790"
    EngineProcess.objects.create(pk=1, port=9124)
    assert read_settings().endpoint == "http://127.0.0.1:9124", "its supervisor was told another port"
    monkeypatch.setenv("ANTHILL_ENGINE_PORT", "9123")
    assert read_settings().endpoint == "http://127.0.0.1:9123", "who says otherwise here is heard"
    assert "keeps it" in as_owner.get("/connection").content.decode()
