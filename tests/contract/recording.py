"""Recorded traffic, ``contract-1``: what a real engine answered about the Falcon documents.

``python -m tests.contract.recording`` records it anew. Times and random ids are masked, so that a new recording shows
only what changed on the wire. The client must read the recording; a live engine must answer in the same form.
"""

import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2

from tests.engine_process import EngineProcess, running

FALCON = Path(__file__).parents[2] / "examples" / "falcon"
FOLDER = Path(__file__).parent / "fixtures" / "contract-1"
NAMESPACE = "07" * 16
RANDOM_ID = re.compile(r"^(job|exp|imp|rve|dec|req|fgi|gen|evt)_[0-9a-f]+$")
TIME = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z$")
MASKS: dict[str, Any] = {"took_ms": 1.5, "data_dir": "var/engine", "database": "sqlite"}
FEED_CURSOR = "WyJnZW5f"
"""How a cursor of the feed begins, which holds the store's random generation."""


def answers(engine: EngineProcess) -> Iterator[tuple[str, int, Any]]:
    """(name, status, JSON body) of every kind of read, in a fixed order, on a base that has read Falcon."""
    headers = {"Authorization": f"Bearer {engine.key}"}
    with httpx2.Client(base_url=f"{engine.endpoint}/api", headers=headers, trust_env=False, timeout=60) as http:
        base = _load(http)
        reads = {"base": f"/projects/{base}"}
        for name in ("documents", "sources", "knowledge", "entities", "conflicts", "jobs", "review-events", "exports"):
            reads[name] = f"/projects/{base}/{name}?page_size=5"
        names = _load_names(http)
        _hand_in(http, base, names)
        reads["merge-candidates"] = f"/projects/{names}/merge-candidates?page_size=5"
        reads["imports"] = f"/projects/{names}/imports?page_size=5"
        reads["decisions"] = f"/projects/{base}/decisions?page_size=5"
        reads |= {"ready": "/ready", "session": "/session", "capabilities": "/capabilities", "bases": "/projects"}
        reads["search"] = f"/projects/{base}/search?q=falcon+launch+date&limit=3&include_chunks=true"
        pages = {name: http.get(path).json() for name, path in reads.items() if "page_size" in path}
        first = {name: page["items"][0]["id"] for name, page in pages.items()}
        reads |= {
            "source": f"/sources/{first['sources']}",
            "text": f"/sources/{first['sources']}/text",
            "changes": f"/sources/{first['sources']}/changes",
            "source-brief": f"/sources/{first['sources']}/brief",
            "document": f"/documents/{first['documents']}",
            "statement": f"/knowledge/{first['knowledge']}",
            "grounds": f"/knowledge/{first['knowledge']}/grounds",
            "statement-brief": f"/knowledge/{first['knowledge']}/brief",
            "evidence": f"/knowledge/{first['knowledge']}/evidence",
            "history": f"/knowledge/{first['knowledge']}/history",
            "neighbors": f"/projects/{base}/neighbors?entity=Project+Falcon&depth=2&limit=5",
            "batch": f"/projects/{base}/knowledge?ids={first['knowledge']}&expand=evidence,entities,conflicts",
            "entity": f"/entities/{first['entities']}",
            "conflict": f"/conflicts/{first['conflicts']}",
            "merge-candidate": f"/merge-candidates/{first['merge-candidates']}",
            "job": f"/jobs/{first['jobs']}",
            "export": f"/exports/{first['exports']}",
            "import": f"/imports/{first['imports']}",
            "feed": "/feed?limit=1",
            "revisions": f"/projects/{base}/revisions",
            "unknown": "/knowledge/ki_none",
            "odd": f"/projects/{base}/knowledge?colour=red",
        }
        for name, path in sorted(reads.items()):
            answer = http.get(path)
            yield name, answer.status_code, answer.json()
        for name, route, body in _questions(first["knowledge"], first["sources"]):
            answer = http.post(f"/projects/{base}/{route}", json=body)
            yield name, answer.status_code, answer.json()


def _questions(statement: str, source: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(name, route below the base, body) of the reads that carry a body."""
    walk = {"entity": "Project Falcon", "query": "why was the launch date changed", "budget": 3}
    yield "walk", "walk", walk
    yield "recall", "recall", {"query": "falcon launch date", "limit": 2}
    yield "recall-nothing", "recall", {"query": "kafka partitioning"}
    held = [{"item_id": statement, "source_id": source}, {"item_id": "ki_none"}]
    yield "standing", "references/standing", {"references": held}
    yield "references", "references/check", {"references": [{"item_id": statement}, {"item_id": "ki_none"}]}


def _load_names(http: httpx2.Client) -> str:
    """A base in which two names may be one."""
    base = str(http.post("/projects", json={"name": "names", "namespace": "08" * 16}).json()["id"])
    text = b"Ingrid Solvang signed the contract. Ingrid Slovang asked for a copy of it."
    http.post(f"/projects/{base}/sources", files=[("files", ("names.txt", text))], data={"paths": ["names.txt"]})
    _finished(http, http.post(f"/projects/{base}/process", json={}).json())
    return base


def _finished(http: httpx2.Client, job: dict[str, Any]) -> None:
    while job["status"] in ("queued", "running"):
        time.sleep(0.1)
        job = http.get(f"/jobs/{job['id']}").json()


def _load(http: httpx2.Client) -> str:
    base = str(http.post("/projects", json={"name": "falcon", "namespace": NAMESPACE}).json()["id"])
    paths = sorted(FALCON.iterdir())
    files = [("files", (path.name, path.read_bytes())) for path in paths]
    http.post(
        f"/projects/{base}/sources", files=files, data={"paths": [path.name for path in paths]}
    ).raise_for_status()
    _finished(http, http.post(f"/projects/{base}/process", json={}).json())
    _exported(http, base, "jsonl")
    conflict = http.get(f"/projects/{base}/conflicts").json()["items"][0]
    ruling = {"action": "needs_evidence", "assignee": "priya", "expected_digest": conflict["digest"], "actor": "mara"}
    http.post(f"/conflicts/{conflict['id']}/resolve", json=ruling).raise_for_status()
    return base


def _exported(http: httpx2.Client, base: str, form: str) -> bytes:
    export = http.post(f"/projects/{base}/exports", json={"format": form}).json()
    while export["status"] == "queued":
        time.sleep(0.1)
        export = http.get(f"/exports/{export['id']}").json()
    return http.get(f"/exports/{export['id']}/download").content


def _hand_in(http: httpx2.Client, base: str, into: str) -> None:
    """A package of one base, looked through for another."""
    files = {"package": ("package.zip", _exported(http, base, "anthill"))}
    given = http.post(f"/projects/{into}/imports", files=files, data={"actor": "mara"}).json()
    while given["status"] == "checking":
        time.sleep(0.1)
        given = http.get(f"/imports/{given['id']}").json()


def masked(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: masked(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [masked(v) for v in value]
    if key in MASKS:
        return MASKS[key]
    if isinstance(value, str) and value.startswith(FEED_CURSOR):
        return FEED_CURSOR
    if isinstance(value, str) and (found := RANDOM_ID.match(value)):
        return f"{found.group(1)}_{'0' * 20}"
    return "2026-01-01T00:00:00.000Z" if isinstance(value, str) and TIME.match(value) else value


def form(value: Any) -> Any:
    """The shape alone: keys and kinds of values; a list by the union of its items' forms."""
    if isinstance(value, dict):
        return {k: form(v) for k, v in sorted(value.items())}
    if isinstance(value, list):
        return sorted({json.dumps(form(v), sort_keys=True) for v in value})
    return type(value).__name__


def recorded() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as engine:
        for name, status, body in answers(engine):
            kept = json.dumps({"status": status, "body": masked(body)}, indent=1, ensure_ascii=False, sort_keys=True)
            (FOLDER / f"{name}.json").write_text(kept + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
