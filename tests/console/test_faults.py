"""Faults of a real engine's process, and of clocks: a page has the reason and the next step, and all goes on after."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from console.connection.models import KnownEngine
from console.connection.providers import forget_probe
from console.feed.models import Receipt
from console.feed.queries import standing
from console.missions.leasing import LEASE, release_overdue
from console.missions.models import Attempt, AttemptState, Mission, MissionState
from console.people.models import User
from console.projects.actions import bind_project, make_project
from console.projects.models import Project
from console.tokens.models import AgentToken
from knowledge.engine.client import EngineAccess, made_client
from knowledge.engine.providers import ForagerProvider
from knowledge.failures import Ok
from tests.console import fake
from tests.console.conftest import BY, signed_in
from tests.console.telling import Telling
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.test_feed import turn
from tests.console.working import QUESTION, done, queued
from tests.engine_process import EngineProcess

BACK_SECONDS = 20
TIMEOUT_MS = 700
SAFE = "Documents and rulings are safe on disk"


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def process(tmp_path: Path, port: int) -> Iterator[EngineProcess]:
    (tmp_path / "first").mkdir()
    engine = EngineProcess(tmp_path / "first", environment={"FORAGER_PORT": str(port)}).start()
    yield engine
    if engine.process is not None and engine.process.poll() is None:
        os.kill(engine.process.pid, signal.SIGCONT)
        engine.stop()


@pytest.fixture
def visitor(owner: User, process: EngineProcess, port: int, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Client:
    """An administrator of a console that is attached to the real engine, and whose project reads a base of it."""
    settings.KNOWLEDGE_PROVIDER = "console.connection.providers.over_http"
    for name, value in {
        "FORAGER_ENDPOINT": f"http://127.0.0.1:{port}",
        "FORAGER_TOKEN": process.key,
        "PROBE_TIMEOUT_MS": str(TIMEOUT_MS),
        "RETRIEVAL_TIMEOUT_MS": str(TIMEOUT_MS),
    }.items():
        monkeypatch.setenv(f"ANTHILL_KNOWLEDGE_{name}", value)
    provider = ForagerProvider(EngineAccess(f"http://127.0.0.1:{port}", process.key), client=made_client())
    base = provider.create_base(name="falcon-demo", description="")
    assert isinstance(base, Ok), base
    project = make_project(by=BY, name="Falcon programme", members=(owner,))
    bind_project(by=BY, project=project, base_id=base.value.id, base_name="falcon-demo")
    forget_probe()
    return signed_in(owner)


def shown(visitor: Client) -> tuple[str, float]:
    """The page of Sources, as nobody remembers who the engine was, and the seconds it took."""
    forget_probe()
    began = time.monotonic()
    answer = visitor.get("/p/falcon-programme/sources")
    assert answer.status_code == 200
    return answer.content.decode(), time.monotonic() - began


def comes_back(visitor: Client) -> None:
    wait_for(lambda: "Engine ready" in shown(visitor)[0])


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + BACK_SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)


def everyone(process: EngineProcess, number: int) -> None:
    """The whole engine: its server and its worker are processes below it."""
    assert process.process is not None
    for pid in (process.process.pid, *below(process.process.pid)):
        os.kill(pid, number)


def below(pid: int) -> list[int]:
    children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(each for child in children for each in below(child))]


def test_an_engine_that_is_stopped_killed_started_again_and_swapped(
    visitor: Client, process: EngineProcess, port: int, tmp_path: Path
) -> None:
    comes_back(visitor)

    everyone(process, signal.SIGSTOP)
    page, took = shown(visitor)
    assert f"did not respond within {TIMEOUT_MS}ms" in page
    assert SAFE in page
    assert took < 3, "one probe is waited for, and no page asks a second time"
    everyone(process, signal.SIGCONT)
    comes_back(visitor)

    process.kill()
    page, took = shown(visitor)
    assert "Nothing answers at the knowledge endpoint." in page or "broke off" in page
    assert SAFE in page
    assert took < 2
    wait_for(lambda: is_free(port))
    process.start()
    comes_back(visitor)

    known = KnownEngine.objects.get().instance_id
    process.stop()
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "operator.key").write_text(process.key)
    other = EngineProcess(tmp_path / "second", environment={"FORAGER_PORT": str(port)}).start()
    try:
        page, _took = shown(visitor)
        assert "This is not the engine we know" in page
        assert known in page
        assert "Engine ready" not in page
        assert visitor.post("/p/falcon-programme/jobs").status_code in (200, 404, 405)
        assert KnownEngine.objects.get().instance_id == known, "nobody confirmed the other one"
    finally:
        other.stop()


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_one_request_id_leads_from_the_browser_to_the_log_of_the_engine(
    visitor: Client, process: EngineProcess
) -> None:
    forget_probe()
    answer = visitor.get(
        "/p/falcon-programme/knowledge", {"q": "zanzibar-planted"}, headers={"X-Request-Id": "req_of_a_person_1"}
    )
    assert answer.headers["X-Request-Id"] == "req_of_a_person_1"
    log = process.folder / "engine.log"
    wait_for(lambda: "req_of_a_person_1" in log.read_text("utf-8"))
    lines = [line for line in log.read_text("utf-8").splitlines() if "req_of_a_person_1" in line]
    assert all('"event": "request_done"' in line for line in lines)
    assert any('/search"' in line for line in lines)
    assert "zanzibar" not in log.read_text("utf-8")
    assert process.key not in log.read_text("utf-8")


@pytest.mark.parametrize("skew", [timedelta(hours=-5), timedelta(hours=5)], ids=["behind", "ahead"])
def test_the_lag_of_the_feed_is_told_by_our_clock_whatever_the_engine_says_the_time_is(
    project: Project, skew: timedelta
) -> None:
    telling = fake.install(Telling())
    assert isinstance(telling, Telling)
    telling.happen("published")
    with time_machine.travel(timezone.now(), tick=False) as clock:
        turn(telling)
        Receipt.objects.update(state=Receipt.State.WAITING, occurred_at=timezone.now() + skew)
        clock.shift(timedelta(seconds=90))
        found = standing("fgi_5d0f27")
    assert found is not None
    assert found.lag == timedelta(seconds=90)


def test_a_lease_is_judged_by_one_clock_and_a_jump_of_it_makes_no_two_workers(project: Project) -> None:
    first, second = (given_secret(project, per_minute=1000, works=True) for _ in range(2))
    mission = queued(project)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        fence = done(first, "claim", {})["fence"]
        clock.shift(-timedelta(hours=3))
        assert release_overdue() == 0, "a clock that goes back takes nothing from anybody"
        assert done(second, "claim", {})["mission"] is None
        clock.shift(timedelta(hours=3) + LEASE + timedelta(seconds=1))
        later = done(second, "claim", {})["fence"]
        assert later > fence
        clock.shift(-2 * LEASE)
        late = {"mission": mission.key, "fence": fence, "outcome": "done", "result": "Late."}
        assert asked(first, "finish", late)[0] == 409, "a clock that goes back revives no claim"
        assert asked(first, "renew", {"mission": mission.key, "fence": fence})[0] == 409
        assert done(second, "renew", {"mission": mission.key, "fence": later})["fence"] == later
    assert Attempt.objects.filter(state=AttemptState.WORKING).count() == 1
    assert Mission.objects.get().state == MissionState.CLAIMED


def test_a_token_ends_at_its_second_by_our_clock(project: Project) -> None:
    secret = given_secret(project, per_minute=1000)
    end = AgentToken.objects.get().expires_at
    assert end is not None
    with time_machine.travel(end - timedelta(seconds=1), tick=False) as clock:
        assert asked(secret, "search", {"query": QUESTION})[0] == 200
        clock.shift(timedelta(seconds=1))
        assert asked(secret, "search", {"query": QUESTION})[0] == 401
        clock.shift(timedelta(days=1))
        assert asked(secret, "search", {"query": QUESTION})[0] == 401
