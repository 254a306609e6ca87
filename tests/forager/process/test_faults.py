"""A disk that is full, a store that is read-only or locked: refused cleanly, nothing lost, and it goes on by itself."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from forager.model.models import KnowledgeBase
from tests.engine_process import ROOT, EngineProcess
from tests.forager.conftest import Api

MEMO = "The launch date for Project Kite is March 3, 2026.\n"


def ask(engine: EngineProcess, path: str, body: object = None, method: str = "") -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{engine.endpoint}/api{path}",
        data=data,
        method=method or ("GET" if data is None else "POST"),
        headers={"Authorization": f"Bearer {engine.key}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def upload(engine: EngineProcess, base: str, name: str, content: bytes) -> tuple[int, Any]:
    mark = "xxBOUNDARYxx"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode()
    request = urllib.request.Request(
        f"{engine.endpoint}/api/projects/{base}/sources",
        data=head + content + f"\r\n--{mark}--\r\n".encode(),
        headers={
            "Authorization": f"Bearer {engine.key}",
            "Content-Type": f"multipart/form-data; boundary={mark}",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def ended(engine: EngineProcess, job: str, seconds: float = 60) -> str:
    until = time.monotonic() + seconds
    status = ""
    while time.monotonic() < until:
        status = str(ask(engine, f"/jobs/{job}")[1]["status"])
        if status in ("completed", "failed", "cancelled"):
            return status
        time.sleep(0.2)
    return status


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Forty megabytes of a file system of its own, where this machine lets us have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        say = pytest.fail if os.environ.get("CI") or os.geteuid() == 0 else pytest.skip
        say("no file system of its own can be mounted here, which the tests of a full and a read-only disk need")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.sqlite
def test_a_full_disk_refuses_cleanly_and_recovers_by_itself(small_disk: Path) -> None:
    engine = EngineProcess(small_disk).start()
    try:
        base = ask(engine, "/projects", {"name": "kite"})[1]["id"]
        assert upload(engine, base, "memo.txt", MEMO.encode())[0] == 201
        filler = small_disk / "filler"
        with filler.open("wb") as file:
            try:
                while True:
                    file.write(b"0" * 4096)
                    file.flush()
            except OSError:
                pass
        status, answer = upload(engine, base, "large.txt", b"word " * 100_000)
        assert (status, answer["error"]["code"]) == (507, "storage_full")
        assert ask(engine, f"/projects/{base}")[0] == 200, "what is there can be read"
        job_status, job = ask(engine, f"/projects/{base}/process", {})
        filler.unlink()
        if job_status != 202:
            assert job["error"]["code"] == "storage_full"
            job = ask(engine, f"/projects/{base}/process", {})[1]
        assert ended(engine, job["id"]) == "completed"
        assert ask(engine, f"/projects/{base}/sources")[1]["total"] == 1
        assert ask(engine, f"/projects/{base}")[1]["knowledge_count"] == 1
        assert engine.command("verify").returncode == 0
    finally:
        if engine.process is not None and engine.process.poll() is None:
            engine.stop()
        engine.log.close()


@pytest.mark.sqlite
def test_a_job_that_meets_a_full_disk_waits_and_ends_when_there_is_room(small_disk: Path) -> None:
    engine = EngineProcess(small_disk)
    documents = small_disk.parent / "documents"
    documents.mkdir()
    for at in range(60):
        (documents / f"{at}.txt").write_text(f"The fee of route {at} is {at} EUR.\n" * 20)
    assert engine.command("import", str(documents), "--base", "kite", "--namespace", "ab" * 16).returncode == 0
    filler = small_disk / "filler"
    room = 300_000
    filler.write_bytes(b"0" * max(0, shutil.disk_usage(small_disk).free - room))
    engine.start()
    try:
        time.sleep(6)
        job = json.loads(engine.command("jobs").stdout.splitlines()[0])
        assert job["status"] in ("queued", "running"), "it is not given up"
        filler.unlink()
        assert ended(engine, job["id"], 90) == "completed"
        assert engine.command("verify").returncode == 0
    finally:
        if engine.process is not None and engine.process.poll() is None:
            engine.stop()
        engine.log.close()


@pytest.mark.sqlite
def test_a_read_only_data_folder_is_told_in_words_and_serves_again_once_it_can_be_written(small_disk: Path) -> None:
    engine = EngineProcess(small_disk).start()
    base = ask(engine, "/projects", {"name": "kite"})[1]["id"]
    upload(engine, base, "memo.txt", MEMO.encode())
    job = ask(engine, f"/projects/{base}/process", {})[1]
    assert ended(engine, job["id"]) == "completed"
    engine.stop()
    engine.log.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    command = [sys.executable, "-m", "forager", "serve"]
    refused = subprocess.run(
        command, cwd=ROOT, env=engine.environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert refused.returncode == 12
    assert refused.stderr.startswith("forager: The data folder cannot be written.")
    assert str(small_disk / "data") in refused.stderr
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    engine = EngineProcess(small_disk).start()
    try:
        assert ask(engine, f"/projects/{base}")[1]["knowledge_count"] == 1
        assert engine.command("verify").returncode == 0
    finally:
        engine.stop()
        engine.log.close()


@pytest.mark.sqlite
def test_a_store_somebody_else_holds_locked_is_busy_and_then_goes_on(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path, environment={"FORAGER_BUSY_SECONDS": "1"}).start()
    try:
        base = ask(engine, "/projects", {"name": "kite"})[1]["id"]
        upload(engine, base, "memo.txt", MEMO.encode())
        held = sqlite3.connect(tmp_path / "data" / "engine.sqlite3", isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        status, answer = ask(engine, f"/projects/{base}/process", {})
        assert (status, answer["error"]["code"]) == (503, "not_ready")
        assert ask(engine, f"/projects/{base}/sources")[0] == 200
        held.execute("ROLLBACK")
        held.close()
        assert ended(engine, ask(engine, f"/projects/{base}/process", {})[1]["id"]) == "completed"
    finally:
        engine.stop()
        engine.log.close()


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OSError(errno.EROFS, "Read-only file system"), 503, "not_ready"),
        (OperationalError("attempt to write a readonly database"), 503, "not_ready"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 507, "storage_full"),
        (OperationalError("database or disk is full"), 507, "storage_full"),
        (OperationalError("canceling statement due to lock timeout"), 503, "not_ready"),
        (OperationalError("deadlock detected"), 503, "not_ready"),
        (
            OperationalError('connection failed: connection to server at "db" failed: Connection refused'),
            503,
            "not_ready",
        ),
        (InterfaceError("the connection is closed"), 503, "not_ready"),
        (OSError(errno.EIO, "Input/output error"), 500, "internal_error"),
    ],
)
def test_each_trouble_of_the_store_has_its_own_answer(
    api: Api, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    def fail(*_given: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr("forager.api.jobs.lease.enqueue", fail)
    assert api.post(f"/projects/{base.pk}/process", status=status)["error"]["code"] == code
    assert api.get(f"/projects/{base.pk}")["id"] == base.pk


def test_a_document_whose_bytes_are_gone_is_told_and_stops_no_other(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "memo.txt").write_text(MEMO)
    (documents / "gone.txt").write_text("The fee of Kite is 12 EUR.\n")
    (tmp_path / "store").mkdir()
    engine = EngineProcess(tmp_path / "store")
    engine.command("import", str(documents), "--base", "kite", "--namespace", "ab" * 16)
    blob = next(p for p in (tmp_path / "store/data/blobs").rglob("*") if p.is_file() and b"12 EUR" in p.read_bytes())
    blob.unlink()
    assert engine.command("work", "--until-idle").returncode == 0
    [job] = [json.loads(line) for line in engine.command("jobs").stdout.splitlines()]
    assert job["status"] == "completed"
    assert [w["code"] for stage in job["stages"] for w in stage["warnings"]] == ["bytes_missing"]
    checked = engine.command("verify")
    assert checked.returncode == 1
    assert b"bytes_missing" in checked.stdout


@pytest.mark.sqlite
def test_what_was_deleted_is_in_no_file_of_the_store(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "memo.txt").write_text(MEMO)
    (documents / "secret.txt").write_text("The harbour code of Quentin Zobelmarker is 471147114711.\n")
    (tmp_path / "store").mkdir()
    engine = EngineProcess(tmp_path / "store")
    engine.command("import", str(documents), "--base", "kite", "--namespace", "ab" * 16)
    engine.start()
    try:
        [job] = [json.loads(line) for line in engine.command("jobs").stdout.splitlines()]
        assert ended(engine, job["id"]) == "completed"
        found = ask(engine, f"/projects/{job['project_id']}/documents")[1]["items"]
        secret = next(d["id"] for d in found if d["path"] == "secret.txt")
        for state in ("retiring", "deleted"):
            body = {"state": state, "reason": "asked to", "actor": "mara"}
            assert ask(engine, f"/documents/{secret}/state", body)[0] == 200
        jobs = ask(engine, f"/projects/{job['project_id']}/jobs")[1]["items"]
        assert ended(engine, jobs[0]["id"]) == "completed"
    finally:
        engine.stop()
        engine.log.close()
    assert engine.command("verify").returncode == 0
    left = [
        (path.name, marker)
        for path in (tmp_path / "store").rglob("*")
        for marker in (b"471147114711", b"Zobelmarker", b"zobelmarker")
        if path.is_file() and marker in path.read_bytes()
    ]
    assert left == []
