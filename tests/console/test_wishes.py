"""What an administrator asks of the managed engine: written down, audited, and only where a supervisor hears it."""

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEvent
from console.connection.models import EngineProcess, EngineWish
from console.pages.connection import SETTLES_WITHIN


@pytest.fixture
def managed(monkeypatch: pytest.MonkeyPatch, db: None) -> EngineProcess:
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_MODE", "managed")
    return EngineProcess.objects.create(pk=1, phase="running", heartbeat_at=timezone.now())


@pytest.mark.parametrize(
    ("phase", "offered"),
    [
        ("running", ["Restart it", "Stop it"]),
        ("waiting", ["Restart it", "Stop it"]),
        ("failed", ["Start it"]),
        ("stopped", ["Start it"]),
        ("stopping", ["Start it"]),
    ],
)
def test_what_makes_sense_now_is_offered(
    as_owner: Client, managed: EngineProcess, phase: str, offered: list[str]
) -> None:
    EngineProcess.objects.update(phase=phase)
    page = as_owner.get("/connection").content.decode()
    assert [words for words in ("Start it", "Restart it", "Stop it") if f">{words}<" in page] == offered


def test_a_wish_is_kept_and_audited(as_owner: Client, managed: EngineProcess) -> None:
    as_owner.post("/connection/engine/wish", {"wish": "stop"})
    assert EngineWish.objects.get().is_stopped
    as_owner.post("/connection/engine/wish", {"wish": "start"})
    row = EngineWish.objects.get()
    assert (row.is_stopped, row.restarts, row.by) == (False, 1, "Mara")
    told = AuditEvent.objects.filter(action="connection.engine_wished").order_by("pk")
    assert [each.after["wish"] for each in told] == ["stop", "start"]


def test_an_engine_of_someone_else_and_nonsense_change_nothing(
    as_owner: Client, managed: EngineProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_owner.post("/connection/engine/wish", {"wish": "explode"})
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_MODE", "attached")
    as_owner.post("/connection/engine/wish", {"wish": "stop"})
    assert not EngineWish.objects.exists()
    assert "Stop it" not in as_owner.get("/connection").content.decode()


def test_without_a_supervisor_nothing_is_offered(as_owner: Client, managed: EngineProcess) -> None:
    EngineProcess.objects.update(heartbeat_at=None)
    assert "Stop it" not in as_owner.get("/connection").content.decode()


def test_nobody_else_may_ask(as_member: Client, managed: EngineProcess) -> None:
    assert as_member.post("/connection/engine/wish", {"wish": "stop"}).status_code == 403
    assert not EngineWish.objects.exists()


def looked_again(client: Client) -> tuple[int, str]:
    answer = client.get("/connection", headers={"HX-Request": "true", "HX-Target": "standing"})
    return answer.status_code, answer.content.decode()


def test_the_page_looks_again_until_what_was_asked_for_is_so(as_owner: Client, managed: EngineProcess) -> None:
    assert 'hx-trigger="every' not in as_owner.get("/connection").content.decode()
    as_owner.post("/connection/engine/wish", {"wish": "stop"})
    EngineProcess.objects.update(phase="stopping")
    assert 'hx-trigger="every' in as_owner.get("/connection").content.decode()
    status, told = looked_again(as_owner)
    assert (status, 'id="standing"' in told, "<form" in told.partition("Endpoint and token")[2]) == (200, True, False)
    with time_machine.travel(timezone.now() + SETTLES_WITHIN):
        EngineProcess.objects.update(phase="stopped", heartbeat_at=timezone.now())
        status, told = looked_again(as_owner)
    assert (status, "every 2s" in told) == (286, False)
