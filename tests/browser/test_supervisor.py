"""The supervisor with real processes: an engine that dies comes back, one signal stops everything, all is kept."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.browser.stack import EMAIL, ROOT, Stack

BACK_SECONDS = 40
SAFE = "Documents and rulings are safe on disk"
PLACES = ("sources", "knowledge?q=launch", "review", "export")


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    stack = Stack(tmp_path)
    stack.set_up()
    yield stack
    if stack.process is not None and stack.process.poll() is None:
        stack.stop()


def test_an_engine_killed_at_once_comes_back_and_one_signal_stops_all(stack: Stack) -> None:
    stack.start()
    os.kill(engine_pid(stack), signal.SIGKILL)
    wait_for(lambda: stack.log().count('"engine.listening"') == 2, stack)
    wait_for(lambda: engine_answers(stack), stack)
    assert stack.stop() == 0
    assert not engine_answers(stack)
    assert not listens(stack.console_port)


def test_a_console_killed_at_once_comes_back_and_the_engine_stays(stack: Stack) -> None:
    stack.start()
    engine = engine_pid(stack)
    (console,) = children(stack, "console.site.wsgi")
    os.kill(console, signal.SIGKILL)
    wait_for(lambda: children(stack, "console.site.wsgi") not in ([], [console]), stack)
    wait_for(lambda: listens(stack.console_port), stack)
    assert engine_pid(stack) == engine
    assert engine_answers(stack)
    assert stack.stop() == 0


def test_a_second_start_over_the_same_folder_is_refused_and_the_first_goes_on(stack: Stack) -> None:
    stack.start("--no-example")
    ports = {"ANTHILL_CONSOLE_PORT": str(stack.console_port + 1), "ANTHILL_ENGINE_PORT": str(stack.engine_port + 1)}
    done = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env=stack.environment | ports,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert f"as process {stack.process.pid}" in done.stderr  # type: ignore[union-attr]
    assert "ANTHILL_DATA_DIR" in done.stderr
    assert engine_answers(stack)
    assert stack.stop() == 0


def test_a_data_folder_that_was_made_is_its_owners_alone(tmp_path: Path) -> None:
    stack = Stack(tmp_path / "data")
    stack.set_up()
    assert stack.folder.stat().st_mode & 0o777 == 0o700
    assert (stack.folder / "engine").stat().st_mode & 0o777 == 0o700


def test_a_second_start_keeps_everything_and_loads_no_second_example(stack: Stack) -> None:
    stack.start()
    assert "Loading the Falcon example: 9 documents." in stack.log()
    assert stack.stop() == 0
    stack.start()
    assert stack.log().count("Loading the Falcon example") == 1
    assert stack.stop() == 0


def test_a_busy_port_is_named_with_the_way_out(stack: Stack) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", stack.console_port))
        other.listen()
        done = subprocess.run(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=stack.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode != 0
    assert f"Something else listens on 127.0.0.1:{stack.console_port}" in done.stderr
    assert "ANTHILL_CONSOLE_PORT" in done.stderr


def test_the_credential_is_for_its_owner_alone(stack: Stack) -> None:
    for name in ("engine-host-credential", "console-secret-key"):
        assert (stack.folder / name).stat().st_mode & 0o777 == 0o600


def test_pages_render_with_the_reason_while_the_engine_is_gone(stack: Stack) -> None:
    stack.start()
    credential = (stack.folder / "engine-host-credential").read_text("utf-8").strip()
    with httpx2.Client(base_url=stack.url, follow_redirects=True, timeout=20) as visitor:
        sign_in(visitor, stack)
        pages = [visitor.get(f"/p/falcon-programme/{place}") for place in PLACES]
        assert all("Engine ready" in page.text for page in pages)
        os.kill(engine_pid(stack), signal.SIGKILL)
        wait_for(lambda: SAFE in visitor.get("/connection").text, stack)
        pages += (away := [visitor.get(f"/p/falcon-programme/{place}") for place in PLACES])
        assert [page.status_code for page in away] == [200] * len(PLACES)
        assert any(SAFE in page.text for page in away)
        assert all(SAFE in page.text or "Engine ready" in page.text for page in away)
        wait_for(lambda: "Engine ready" in visitor.get("/connection").text, stack)
    assert credential not in "".join(page.text for page in pages) + stack.log()


def test_a_person_stops_starts_and_restarts_the_engine_and_the_console_stays(stack: Stack) -> None:
    stack.start("--no-example")
    first = engine_pid(stack)
    with httpx2.Client(base_url=stack.url, follow_redirects=True, timeout=20) as visitor:
        sign_in(visitor, stack)
        ask(visitor, "stop")
        wait_for(lambda: not engine_answers(stack) and phase(stack) == "stopped", stack)
        wait_for(lambda: "A person stopped it." in visitor.get("/connection").text, stack)
        ask(visitor, "start")
        wait_for(lambda: engine_answers(stack) and phase(stack) == "running", stack)
        second = engine_pid(stack)
        ask(visitor, "restart")
        wait_for(lambda: engine_answers(stack) and engine_pid(stack) not in (first, second), stack)
        ask(visitor, "stop")
        wait_for(lambda: phase(stack) == "stopped", stack)
    assert stack.stop() == 0
    stack.start_without_engine()
    assert phase(stack) == "stopped"
    assert not engine_answers(stack), "a stop holds over a new start of the console"
    assert stack.stop() == 0


def test_ten_hard_ends_leave_one_engine_no_orphan_and_all_that_was_queued_and_filed() -> None:
    """As ``bin/soak --supervisor`` does five hundred times: each victim, and the supervisor itself, at any moment."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.supervising", "--cycles", "10", "--seed", "3"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(("ANTHILL_", "DJANGO_"))},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 missions and 10 proposals kept" in done.stdout


def ask(visitor: httpx2.Client, wish: str) -> None:
    page = visitor.get("/connection")
    assert visitor.post("/connection/engine/wish", data={"wish": wish} | mark(page)).status_code == 200


def phase(stack: Stack) -> str:
    with sqlite3.connect(stack.folder / "console.sqlite3") as database:
        (found,) = database.execute("SELECT phase FROM connection_engineprocess").fetchone()
    return str(found)


def sign_in(visitor: httpx2.Client, stack: Stack) -> None:
    """As the first administrator, who must choose a password first."""
    answer = visitor.get("/sign-in")
    fields = {"email": EMAIL, "password": stack.password}
    answer = visitor.post("/sign-in", data=fields | mark(answer))
    chosen = {"password": "three calm herons at dusk", "again": "three calm herons at dusk"}
    assert visitor.post("/settings/password", data=chosen | mark(answer)).status_code == 200


def mark(answer: httpx2.Response) -> dict[str, str]:
    found = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', answer.text)
    assert found
    return {"csrfmiddlewaretoken": found.group(1)}


def engine_pid(stack: Stack) -> int:
    """The process that says it serves on our port."""
    with sqlite3.connect(stack.folder / "console.sqlite3") as database:
        (pid,) = database.execute("SELECT pid FROM connection_engineprocess").fetchone()
    return int(pid or 0)


def children(stack: Stack, name: str) -> list[int]:
    """The processes the supervisor started whose command says ``name``."""
    supervisor = stack.process.pid  # type: ignore[union-attr]
    command = ["ps", "-o", "pid=,args=", "--ppid", str(supervisor)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(line.split()[0]) for line in told.stdout.splitlines() if name in line]


def engine_answers(stack: Stack) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{stack.engine_port}/api/health", timeout=2) as answer:
            return bool(json.load(answer))
    except (urllib.error.URLError, OSError):
        return False


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(true: object, stack: Stack) -> None:
    assert callable(true)
    until = time.monotonic() + BACK_SECONDS
    while not true():
        assert time.monotonic() < until, stack.log()
        time.sleep(0.2)
