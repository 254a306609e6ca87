"""The engine as a real process: one holder a store, clean stops, and hard ends that lose nothing."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.engine_process import ROOT, EngineProcess, running

DOCUMENTS = {
    "memo.txt": "The launch date for Project Kite is March 3, 2026.\n",
    "mail.eml": "From: Ada <ada@kite.example>\nDate: Wed, 18 Feb 2026 09:00:00 +0000\nSubject: Kite\n\n"
    "The launch date for Project Kite has moved to April 10, 2026.\n",
}
NAMESPACE = "cd" * 16
MOST_POINTS = 120


def get(engine: EngineProcess, path: str) -> dict[str, object]:
    request = urllib.request.Request(f"{engine.endpoint}/api{path}", headers={"Authorization": f"Bearer {engine.key}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.loads(answer.read()))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    return folder


def prepared(folder: Path, documents: Path) -> EngineProcess:
    folder.mkdir()
    engine = EngineProcess(folder)
    loaded = engine.command("import", str(documents), "--base", "Kite", "--namespace", NAMESPACE)
    assert loaded.returncode == 0, loaded.stderr
    return engine


def logical(engine: EngineProcess) -> bytes:
    exported = engine.command("export", "--base", "Kite", "--logical")
    assert exported.returncode == 0, exported.stderr
    return exported.stdout


def test_it_listens_says_who_it_is_and_stops_when_its_host_goes(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path).start()
    assert engine.listening["instance_id"].startswith("fgi_")
    assert get(engine, "/capabilities")["instance"]["instance_id"] == engine.listening["instance_id"]  # type: ignore[index]
    assert engine.stop() == 0


@pytest.mark.sqlite
def test_a_second_engine_on_the_store_exits_11_and_names_the_holder(tmp_path: Path) -> None:
    with running(tmp_path) as engine:
        second = engine.command("serve")
        assert second.returncode == 11
        assert f"process {engine.process.pid}" in second.stderr.decode()  # type: ignore[union-attr]


def test_after_a_hard_end_the_store_is_free_at_once_and_keeps_its_identity(tmp_path: Path) -> None:
    first = EngineProcess(tmp_path).start()
    first.kill()
    with running(tmp_path) as again:
        assert again.listening["instance_id"] == first.listening["instance_id"]
        assert again.listening["generation"] == first.listening["generation"]


def test_sigterm_stops_it_cleanly(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path).start()
    assert engine.process is not None
    engine.process.send_signal(signal.SIGTERM)
    assert engine.process.wait(30) == 0


def test_its_host_may_shut_it_down_and_its_operator_may_not(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path).start()
    codes = []
    for key in (engine.key, engine.host_key):
        request = urllib.request.Request(
            f"{engine.endpoint}/api/shutdown", method="POST", headers={"Authorization": f"Bearer {key}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                codes.append(answer.status)
        except urllib.error.HTTPError as error:
            codes.append(error.code)
    assert codes == [403, 202]
    assert engine.process is not None
    assert engine.process.wait(30) == 0


@pytest.mark.sqlite
def test_ended_hard_at_every_commit_point_it_finishes_with_the_same_knowledge(tmp_path: Path, documents: Path) -> None:
    engine = prepared(tmp_path / "store", documents)
    walked = subprocess.run(
        [sys.executable, "-m", "tests.forager.process.crash_walk", str(tmp_path / "store" / "data"), str(MOST_POINTS)],
        cwd=ROOT,
        env=engine.environment,
        capture_output=True,
        check=False,
        timeout=500,
    )
    assert walked.returncode == 0, walked.stderr.decode()[-2000:]
    report = json.loads(walked.stdout)
    assert report["points"] > 25
    assert report["points"] < MOST_POINTS, "the job has more commit points than the test walks"
    assert report["differing"] == []
    assert report["bytes"] > 1000


def test_a_worker_process_ended_hard_is_found_out_and_its_job_finished(tmp_path: Path, documents: Path) -> None:
    engine = prepared(tmp_path / "store", documents)
    crashed = engine.command("work", "--until-idle", environment={"FORAGER_CRASH_AT": "9"})
    assert crashed.returncode == -signal.SIGKILL
    assert engine.command("work", "--until-idle").returncode == 0
    assert b"2026-04-10" in logical(engine)
