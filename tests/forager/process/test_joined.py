"""PostgreSQL: several API processes and workers are one engine, of one instance and one generation."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import postgres
from tests.engine_process import ROOT, EngineProcess

pytestmark = pytest.mark.postgres
BASES = 2
TEXTS = {f"memo-{at}.txt": f"The launch date for Project Kite {at} is March {at + 1}, 2026.\n" for at in range(5)}


def ask(engine: EngineProcess, path: str, body: object = None) -> Any:
    headers = {"Authorization": f"Bearer {engine.key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{engine.endpoint}/api{path}", data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def prepared(folder: Path) -> tuple[EngineProcess, list[str]]:
    """A store with a waiting job in each of several bases; answers the engine, not started yet, and the jobs."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in TEXTS.items():
        (documents / name).write_text(text)
    (folder / "store").mkdir()
    engine = EngineProcess(folder / "store")
    jobs = []
    for at in range(BASES):
        told = engine.command("import", str(documents), "--base", f"kite {at}", "--namespace", f"{at:032x}")
        assert told.returncode == 0, told.stderr
        jobs.append(told.stdout.decode().split()[1])
    return engine, jobs


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not reached in time"
        time.sleep(0.1)


def logical(engine: EngineProcess, at: int) -> bytes:
    told = engine.command("export", "--base", f"kite {at}", "--logical")
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_two_api_processes_and_two_workers_are_one_engine(tmp_path: Path) -> None:
    first, jobs = prepared(tmp_path)
    second = EngineProcess(first.folder)
    first.start()  # each with a worker of its own
    try:
        second.start()
        assert first.listening["port"] != second.listening["port"]
        assert {(e.listening["instance_id"], e.listening["generation"]) for e in (first, second)} == {
            (first.listening["instance_id"], first.listening["generation"])
        }
        until(lambda: all(ask(second, f"/jobs/{job}")["status"] == "completed" for job in jobs))
        assert [ask(first, f"/jobs/{job}")["attempts"] for job in jobs] == [1] * BASES
        made = ask(first, "/projects", {"name": "made by one"})
        assert ask(second, f"/projects/{made['id']}")["name"] == "made by one"
        feed = ask(second, "/feed")["events"]
        assert len({e["source_project_id"] for e in feed if e["event_type"] == "knowledge.revision.published"}) == BASES
        assert first.stop() == 0
        assert ask(second, f"/projects/{made['id']}")["id"] == made["id"]
    finally:
        for engine in (first, second):
            if engine.process is not None and engine.process.poll() is None:
                engine.stop()
            engine.log.close()
    assert second.command("verify").returncode == 0
    # the namespaces differ, so ids do: but each base says the same
    assert {logical(second, at).count(b"Project Kite") for at in range(BASES)} == {
        logical(second, 0).count(b"Project Kite")
    }


def test_a_worker_that_dies_leaves_its_job_to_the_other(tmp_path: Path) -> None:
    engine, _jobs = prepared(tmp_path)
    crashed = engine.command("work", "--until-idle", environment={"FORAGER_CRASH_AT": "9"})
    assert crashed.returncode == -signal.SIGKILL
    workers = [
        subprocess.Popen([sys.executable, "-m", "forager", "work", "--until-idle"], cwd=ROOT, env=engine.environment)
        for _ in range(2)
    ]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    told = [json.loads(line) for line in engine.command("jobs").stdout.splitlines()]
    assert [job["status"] for job in told] == ["completed"] * BASES
    assert sorted(job["attempts"] for job in told) == [1] * (BASES - 1) + [2]
    assert engine.command("verify").returncode == 0


def test_a_data_folder_of_another_engine_is_refused_with_11(tmp_path: Path) -> None:
    engine, _jobs = prepared(tmp_path)
    assert engine.command("work", "--until-idle").returncode == 0
    other = EngineProcess(engine.folder, environment={"FORAGER_DATABASE_URL": postgres.database("foreign")})
    for command in (("serve",), ("work", "--until-idle")):
        other.command("migrate")
        told = other.command(*command)
        assert told.returncode == 11
        assert b"the data folder belongs to fgi_" in told.stderr


def test_a_database_restored_under_a_serving_process_ends_it_with_11(tmp_path: Path) -> None:
    engine, _jobs = prepared(tmp_path)
    engine.environment["FORAGER_HEARTBEAT_SECONDS"] = "0.3"
    engine.start()
    with psycopg.connect(engine.environment["FORAGER_DATABASE_URL"], autocommit=True) as connection:
        connection.execute("UPDATE forager_store SET generation = 'gen_restored'")
    assert engine.process is not None
    assert engine.process.wait(30) == 11


def test_a_database_that_goes_away_is_told_in_words_and_serves_again(tmp_path: Path) -> None:
    engine, jobs = prepared(tmp_path)
    engine.start()
    try:
        until(lambda: all(ask(engine, f"/jobs/{job}")["status"] == "completed" for job in jobs))
        with psycopg.connect(f"{postgres.url()}/postgres", autocommit=True) as connection:
            name = engine.environment["FORAGER_DATABASE_URL"].rpartition("/")[2]
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        bases = ask(engine, "/projects")["items"]
        again = ask(engine, f"/projects/{bases[0]['id']}/process", {})
        until(lambda: bool(ask(engine, f"/jobs/{again['id']}")["status"] == "completed"))
    finally:
        assert engine.stop() == 0
        engine.log.close()


def test_a_password_is_in_no_message(tmp_path: Path) -> None:
    secret = "pa55wordOfTheTests"
    for url in (f"postgresql://kite:{secret}@127.0.0.1:1/none", f"mysql://kite:{secret}@db/kite", f"{secret}://"):
        engine = EngineProcess(tmp_path, environment={"FORAGER_DATABASE_URL": url})
        told = engine.command("serve")
        assert told.returncode != 0
        assert secret.encode() not in told.stdout + told.stderr
        engine.log.close()


def test_nothing_is_kept_of_a_store_that_was_never_served(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path)
    for command, told in (("backup", b"never served"), ("restore", b"kite.backup")):
        done = engine.command(command, str(tmp_path / "kite.backup"))
        assert (done.returncode, told in done.stderr, b"Traceback" in done.stderr) == (1, True, False), done.stderr
    assert not (tmp_path / "kite.backup").exists()
