"""A backup made while documents come in, restored elsewhere: the same knowledge, rulings and all, and nothing half."""

import json
import sqlite3
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from forager.process import backup
from tests import postgres
from tests.engine_process import EngineProcess, running

DATABASE = backup.DATABASES["postgresql" if postgres.is_used() else "sqlite"]
MEMO = b"The launch date for Project Kite is March 3, 2026."
MAIL = b"The launch date for Project Kite has moved to April 10, 2026."


def note(at: int, lines: int = 1) -> bytes:
    return "\n\n".join(f"The fee of Pier {at} at berth {line} is {at + line} EUR." for line in range(lines)).encode()


class Client:
    def __init__(self, engine: EngineProcess) -> None:
        headers = {"Authorization": f"Bearer {engine.key}"}
        self.http = httpx2.Client(base_url=f"{engine.endpoint}/api", headers=headers, trust_env=False, timeout=60)

    def get(self, path: str, status: int = 200) -> Any:
        return self._checked(self.http.get(path), status)

    def post(self, path: str, body: object) -> Any:
        return self._checked(self.http.post(path, json=body))

    def load(self, base: str, files: dict[str, bytes]) -> dict[str, Any]:
        sent = [("files", item) for item in files.items()]
        self._checked(self.http.post(f"/projects/{base}/sources", files=sent, data={"paths": list(files)}))
        found: dict[str, Any] = self.post(f"/projects/{base}/process", {})
        return found

    def finish(self, job: dict[str, Any]) -> None:
        until = time.monotonic() + 120
        while self.get(f"/jobs/{job['id']}")["status"] in ("queued", "running"):
            assert time.monotonic() < until
            time.sleep(0.1)

    @staticmethod
    def _checked(answer: httpx2.Response, status: int = 0) -> Any:
        assert answer.status_code == status if status else answer.is_success, answer.text[:300]
        return answer.json()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A ruling was made; then a backup was written while many documents came in."""
    folder = tmp_path_factory.mktemp("engine")
    with running(folder) as engine:
        client = Client(engine)
        base = client.post("/projects", {"name": "Kite"})["id"]
        client.finish(client.load(base, {"memo.txt": MEMO, "mail.txt": MAIL}))
        (conflict,) = client.get(f"/projects/{base}/conflicts")["items"]
        side = next(each for each in conflict["sides"] if each["value"].startswith("2026-04"))
        ruling = {
            "action": "choose_side",
            "side_id": side["id"],
            "expected_digest": conflict["digest"],
            "actor": "mara",
        }
        client.post(f"/conflicts/{conflict['id']}/resolve", {**ruling, "expected_digest": conflict["digest"]})
        cursor = client.get("/feed")["next_cursor"]
        ruled = client.get(f"/conflicts/{conflict['id']}")
        job = client.load(base, {f"note-{at}.txt": note(at, lines=30) for at in range(120)})
        file = folder / "kite.backup"
        written = engine.command("backup", str(file))
        assert written.returncode == 0, written.stderr
        assert client.get(f"/jobs/{job['id']}")["status"] in ("queued", "running"), "it was written while work went on"
        client.finish(job)
        again = engine.command("backup", str(file))
        assert (again.returncode, b"is there already" in again.stderr) == (1, True)
        instance = client.get("/capabilities")["instance"]
        yield {"file": file, "base": base, "ruled": ruled, "cursor": cursor, "instance": instance, "folder": folder}


def test_restored_elsewhere_it_is_whole_and_goes_on(kept: dict[str, Any], tmp_path: Path) -> None:
    other = EngineProcess(tmp_path)
    done = other.command("restore", str(kept["file"]))
    assert done.returncode == 0, done.stderr
    assert other.command("verify").stdout.splitlines()[-1].partition(b": ")[2].startswith(b"0 findings in ")
    assert not list((tmp_path / "data").glob(".restoring*"))
    with running(tmp_path) as engine:
        client = Client(engine)
        instance = client.get("/capabilities")["instance"]
        assert instance["instance_id"] == kept["instance"]["instance_id"]
        assert (instance["generation_reason"], instance["generation"] != kept["instance"]["generation"]) == (
            "restored",
            True,
        )
        assert client.get(f"/conflicts/{kept['ruled']['id']}")["status"] == kept["ruled"]["status"] == "resolved"
        refused = client.get(f"/feed?cursor={kept['cursor']}", 410)
        assert refused["error"]["code"] == "cursor_expired"
        for job in client.get(f"/projects/{kept['base']}/jobs")["items"]:
            client.finish(job)
        assert client.get(f"/projects/{kept['base']}/search?q=launch")["knowledge"]
        client.finish(client.load(kept["base"], {"new.txt": b"The crane of Pier Nine lifts 12 t."}))
        assert client.get(f"/projects/{kept['base']}/search?q=crane")["knowledge"]
    refused_now = other.command("restore", str(kept["file"]))
    assert (refused_now.returncode, b"holds a store already" in refused_now.stderr) == (1, True)
    assert other.command("verify").returncode == 0


def flipped(packed: dict[str, bytes]) -> None:
    name = next(each for each in packed if each.startswith("blobs/"))
    packed[name] = packed[name][:-1] + bytes([packed[name][-1] ^ 1])


def torn(packed: dict[str, bytes]) -> None:
    packed[DATABASE] = packed[DATABASE][:-7] + b"damaged"


def robbed(packed: dict[str, bytes]) -> None:
    del packed[next(each for each in packed if each.startswith("blobs/"))]


def smuggling(packed: dict[str, bytes]) -> None:
    packed["blobs/../../escaped"] = b"x"


def foreign(packed: dict[str, bytes]) -> None:
    packed[backup.MANIFEST] = json.dumps({**json.loads(packed[backup.MANIFEST]), "format_version": 2}).encode()


def bare(packed: dict[str, bytes]) -> None:
    del packed[backup.MANIFEST]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (flipped, "is damaged"), (torn, f"{DATABASE} in"), (robbed, "lacks files"), (smuggling, "has no place"),
        (foreign, "another form"), (bare, "no backup of a store"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_refused_whole(
    kept: dict[str, Any], tmp_path: Path, spoil: Callable[[dict[str, bytes]], None], told: str
) -> None:
    with zipfile.ZipFile(kept["file"]) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    spoil(packed)
    spoiled = tmp_path / "spoiled.backup"
    with zipfile.ZipFile(spoiled, "w") as archive:
        for name, content in packed.items():
            archive.writestr(name, content)
    done = EngineProcess(tmp_path).command("restore", str(spoiled))
    assert (done.returncode, told in done.stderr.decode()) == (1, True), done.stderr
    assert not [each for each in (tmp_path / "data").rglob("*") if each.is_file()]
    assert not (tmp_path / "escaped").exists()


@pytest.mark.parametrize("field", ["kind", "migrations"])
def test_what_the_manifest_says_does_not_fit_is_refused(kept: dict[str, Any], tmp_path: Path, field: str) -> None:
    with zipfile.ZipFile(kept["file"]) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(packed[backup.MANIFEST])
    of = manifest["database"]
    if field == "kind":
        of["kind"] = "sqlite" if of["kind"] == "postgresql" else "postgresql"
        told = f"a store on {of['kind']}"
    else:
        of["migrations"].append(["forager", "9999_later"])
        told = "newer engine"
    other = tmp_path / "other.backup"
    with zipfile.ZipFile(other, "w") as archive:
        for name, content in (packed | {backup.MANIFEST: json.dumps(manifest).encode()}).items():
            archive.writestr(name, content)
    done = EngineProcess(tmp_path).command("restore", str(other))
    assert (done.returncode, told in done.stderr.decode()) == (1, True), done.stderr


@pytest.mark.sqlite
def test_a_backup_of_a_newer_engine_is_left_to_that_one(kept: dict[str, Any], tmp_path: Path) -> None:
    with zipfile.ZipFile(kept["file"]) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    database = tmp_path / "newer.sqlite3"
    database.write_bytes(packed[DATABASE])
    with closing(sqlite3.connect(database)) as newer, newer:
        newer.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('forager', '9999_later', '2027-01-01')"
        )
    manifest = json.loads(packed[backup.MANIFEST])
    manifest["database"]["sha256"] = backup.sha256_of(database)
    packed |= {DATABASE: database.read_bytes(), backup.MANIFEST: json.dumps(manifest).encode()}
    later = tmp_path / "later.backup"
    with zipfile.ZipFile(later, "w") as archive:
        for name, content in packed.items():
            archive.writestr(name, content)
    done = EngineProcess(tmp_path).command("restore", str(later))
    assert (done.returncode, b"newer engine" in done.stderr) == (1, True)


def test_a_file_that_is_no_archive_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    engine = EngineProcess(tmp_path)
    for name, told in (("notes.txt", b"cannot be read"), ("nowhere.backup", b"cannot be read")):
        done = engine.command("restore", str(tmp_path / name))
        assert (done.returncode, told in done.stderr) == (1, True)
    nothing = engine.command("backup", str(tmp_path / "nothing.backup"))
    assert nothing.returncode == 1


def test_deletions_beside_it_never_tear_a_backup(kept: dict[str, Any], tmp_path: Path) -> None:
    """Documents are revoked and deleted, one after the other, while backups are written."""
    with running(tmp_path) as engine:
        client = Client(engine)
        base = client.post("/projects", {"name": "Kite"})["id"]
        client.finish(
            client.load(base, {f"n{at}.txt": f"The fee of Pier {at} is {at} EUR.".encode() for at in range(40)})
        )
        documents = [each["id"] for each in client.get(f"/projects/{base}/documents?page_size=50")["items"]]

        def delete() -> None:
            for document in documents[:20]:
                for state in ("suspended", "revoked", "deleted"):
                    body = {"state": state, "reason": "owner_request", "actor": "mara"}
                    client.http.post(f"/documents/{document}/state", json=body)

        beside = threading.Thread(target=delete)
        beside.start()
        written = [engine.command("backup", str(tmp_path / f"{at}.backup")) for at in range(2)]
        beside.join()
    assert any(each.returncode == 0 for each in written)
    for at, each in enumerate(written):
        if each.returncode == 0:
            other = tmp_path / f"other-{at}"
            other.mkdir()
            restored = EngineProcess(other)
            assert restored.command("restore", str(tmp_path / f"{at}.backup")).returncode == 0
            assert restored.command("verify").stdout.splitlines()[-1].partition(b": ")[2].startswith(b"0 findings in ")


def test_a_store_that_was_never_served_has_nothing_to_keep(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path)
    done = engine.command("backup", str(tmp_path / "kite.backup"))
    assert (done.returncode, b"never served" in done.stderr, b"Traceback" in done.stderr) == (1, True, False)
    assert not (tmp_path / "kite.backup").exists()
    assert not (tmp_path / "data" / "engine.sqlite3").exists(), "a folder that was only looked at can be restored into"


def test_verify_names_the_folder_it_walked_or_that_there_is_nothing_to_walk(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path)
    done = engine.command("verify")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"There is no engine data in {tmp_path / 'data'}. Set FORAGER_DATA_DIR.\n"
    assert not (tmp_path / "data" / "engine.sqlite3").exists(), "it makes no store to look at"
    with running(tmp_path) as served:
        client = Client(served)
        base = client.post("/projects", {"name": "Kite"})["id"]
        client.finish(client.load(base, {"new.txt": b"The crane of Pier Nine lifts 12 t."}))
    done = engine.command("verify")
    told = done.stdout.decode().splitlines()[-1]
    assert (done.returncode, told) == (0, f"{tmp_path / 'data'}: 0 findings in 1 documents, 1 statements")
