"""``migrate-store``: a filled store of SQLite goes on in PostgreSQL, or stays as it is."""

import json
import sqlite3
import time
import urllib.request
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import postgres
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.postgres
NAMESPACE = "ab" * 16
DOCUMENTS = {
    "memo.txt": "The launch date for Project Kite is March 3, 2026.\nMara Lind owns Project Kite.\n",
    "other.txt": "The launch date for Project Kite is March 9, 2026.\nStraße und Größe sind beliebt – “ok”.\n",
    "fees.csv": "pier,fee\nNine,10 EUR\nTen,12 EUR\n",
}


def ask(engine: EngineProcess, path: str, body: object = None, method: str | None = None) -> Any:
    headers = {"Authorization": f"Bearer {engine.key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{engine.endpoint}/api{path}", data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def told(engine: EngineProcess, base: str) -> dict[str, Any]:
    """What readers see of the whole store."""
    search = ask(engine, f"/projects/{base}/search?q=launch+of+Kite&limit=20&include_chunks=true")
    return {
        "items": ask(engine, f"/projects/{base}/knowledge?page_size=100")["items"],
        "conflicts": ask(engine, f"/projects/{base}/conflicts?page_size=100")["items"],
        "sources": sorted(ask(engine, f"/projects/{base}/sources?page_size=100")["items"], key=lambda s: str(s["id"])),
        "events": ask(engine, f"/projects/{base}/review-events")["items"],
        "feed": ask(engine, "/feed"),
        "found": [hit["item"]["id"] for hit in search["knowledge"]],
        "chunks": {hit["chunk_id"] for hit in search["chunks"]},
        "base": ask(engine, f"/projects/{base}"),
    }


@pytest.fixture
def filled(tmp_path: Path) -> EngineProcess:
    """A store of SQLite with two revisions, a ruling and a deleted document; nobody serves it."""
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text)
    (tmp_path / "store").mkdir()
    engine = EngineProcess(tmp_path / "store", environment={"FORAGER_DATABASE_URL": ""})
    made = engine.command("import", str(documents), "--base", "Kite", "--namespace", NAMESPACE)
    assert made.returncode == 0, made.stderr
    assert engine.command("token", "create", "reader", "--scope", "read").returncode == 0
    return engine


def base_of(engine: EngineProcess) -> str:
    return str(ask(engine, "/projects")["items"][0]["id"])


def worked(engine: EngineProcess, base: str) -> None:
    end = time.monotonic() + 60
    while any(job["status"] != "completed" for job in ask(engine, f"/projects/{base}/jobs")["items"]):
        assert time.monotonic() < end
        time.sleep(0.1)


def moved_to(engine: EngineProcess, url: str) -> tuple[int, str]:
    done = engine.command("migrate-store", "--to", url)
    return done.returncode, done.stderr.decode() + done.stdout.decode()


def rows(url: str) -> int:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT count(*) FROM forager_statement").fetchone()
        return int(found[0]) if found else 0


def test_everything_goes_on_in_the_other_database(filled: EngineProcess) -> None:
    filled.start()
    base = base_of(filled)
    worked(filled, base)
    conflict = next(c for c in ask(filled, f"/projects/{base}/conflicts")["items"] if c["type"] != "duplicate_source")
    ruling = {"action": "choose_side", "side_id": conflict["sides"][0]["id"], "expected_digest": conflict["digest"]}
    ask(filled, f"/conflicts/{conflict['id']}/resolve", {**ruling, "actor": "Mara", "notes": "as the memo says"})
    fees = next(d for d in ask(filled, f"/projects/{base}/documents")["items"] if d["path"] == "fees.csv")
    for state in ("retiring", "deleted"):
        ask(filled, f"/documents/{fees['id']}/state", {"state": state, "reason": "asked to", "actor": "Mara"})
    worked(filled, base)
    before, listening = told(filled, base), filled.listening
    url = postgres.database("moved_whole")
    code, said = moved_to(filled, url)
    assert code == 1
    assert "last heard" in said, "while it is served, nothing is moved"
    assert filled.stop() == 0

    code, said = moved_to(filled, url)
    assert code == 0, said
    assert filled.command("serve").returncode == 11
    assert moved_to(filled, postgres.database("moved_twice"))[0] == 1

    there = EngineProcess(filled.folder, environment={"FORAGER_DATABASE_URL": url}).start()
    try:
        same = ("instance_id", "generation")
        assert [there.listening[name] for name in same] == [listening[name] for name in same]
        after = told(there, base)
        assert after["base"] == before["base"]
        assert after == before
        ask(there, f"/projects/{base}", {"second_look": True}, "PATCH")
        item = {"statement": "The pier is closed.", "subject": "Pier", "attribute": "state", "value": "closed"}
        ask(there, f"/projects/{base}/knowledge", item)
        after = ask(there, f"/feed?cursor={before['feed']['next_cursor']}")["events"]
        assert [event["sequence"] for event in after] == [before["feed"]["events"][-1]["sequence"] + 1]
    finally:
        assert there.stop() == 0
        there.log.close()
        filled.log.close()
    assert there.command("verify").returncode == 0, there.command("verify").stdout


def test_a_target_that_is_not_empty_is_refused(filled: EngineProcess) -> None:
    url = postgres.database("moved_not_empty")
    other = EngineProcess(filled.folder, environment={"FORAGER_DATABASE_URL": url})
    assert other.command("migrate").returncode == 0
    code, said = moved_to(filled, url)
    assert code == 1
    assert "not empty" in said
    assert "forager_store" in said


def test_what_cannot_be_kept_moves_nothing_and_can_be_tried_again(filled: EngineProcess) -> None:
    assert filled.command("work", "--until-idle").returncode == 0
    url = postgres.database("moved_nul")
    with sqlite3.connect(filled.folder / "data" / "engine.sqlite3") as database:
        before = database.execute("SELECT id, title FROM forager_source ORDER BY id LIMIT 1").fetchone()
        database.execute("UPDATE forager_source SET title = ? WHERE id = ?", ["secret" + chr(0), before[0]])
    database.close()
    code, said = moved_to(filled, url)
    assert code == 1
    assert "A row of forager_source cannot be kept there: it holds a NUL character" in said
    assert "secret" not in said
    assert rows(url) == 0
    with sqlite3.connect(filled.folder / "data" / "engine.sqlite3") as database:
        database.execute("UPDATE forager_source SET title = ? WHERE id = ?", [before[1], before[0]])
    database.close()
    assert moved_to(filled, url)[0] == 0
    assert rows(url) > 0


def test_what_reads_otherwise_over_there_is_not_kept(filled: EngineProcess) -> None:
    assert filled.command("work", "--until-idle").returncode == 0
    url = postgres.database("moved_changed")
    assert moved_to(filled, "postgresql://nobody@127.0.0.1:1/none")[0] == 1
    with psycopg.connect(url) as connection:
        connection.execute("CREATE FUNCTION bent() RETURNS trigger LANGUAGE plpgsql AS "
                           "$$ BEGIN NEW.location := NEW.location || ' '; RETURN NEW; END $$")  # fmt: skip
        connection.execute("CREATE FUNCTION bend() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
                           "IF to_regclass('forager_chunk') IS NOT NULL AND NOT EXISTS "
                           "(SELECT 1 FROM pg_trigger WHERE tgname = 'bent') THEN EXECUTE 'CREATE TRIGGER bent BEFORE "
                           "INSERT ON forager_chunk FOR EACH ROW EXECUTE FUNCTION bent()'; END IF; END $$")  # fmt: skip
        connection.execute(
            "CREATE EVENT TRIGGER bend ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION bend()"
        )
    code, said = moved_to(filled, url)
    assert code == 1
    assert "forager_chunk reads otherwise" in said
    assert rows(url) == 0
    assert filled.command("work", "--until-idle").returncode == 0, "the source goes on as before"
