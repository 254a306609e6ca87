"""JSON rows as the engine sends them, and a provider over a transport that answers by route."""

import json
from collections.abc import Callable, Mapping

import httpx2

from knowledge.engine.cache import ReadCache
from knowledge.engine.circuit import Circuit
from knowledge.engine.client import EngineAccess, EngineClient
from knowledge.engine.fence import Alarm
from knowledge.engine.providers import ForagerProvider
from knowledge.scope import KnowledgeScope, Level

BASE = "proj_ef42d498ae1e"
SCOPE = KnowledgeScope(Level.PROJECT, BASE, "falcon")
GLOBAL_SCOPE = KnowledgeScope(Level.GLOBAL, BASE, "falcon")
AT = "2026-02-18T16:05:00Z"
VIEW = "3:1"

type Answer = object | Callable[[httpx2.Request], object]


def evidence(item_id: str = "ki_1", **changes: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": f"ev_{item_id}",
        "target_id": item_id,
        "document_id": "doc_1",
        "source_id": "src_1",
        "source_name": "note.txt",
        "source_path": "note.txt",
        "source_type": "txt",
        "version": "aa",
        "text_hash": "bb",
        "representation": "txt+1",
        "segmentation": "chunk+1",
        "chunk_id": "ch_1",
        "location": "Line 1",
        "locator": {"kind": "line", "line": 1},
        "start": 0,
        "end": 13,
        "excerpt": "The roof is red.",
        "excerpt_hash": "cc",
        "extractor_name": "rules",
        "extractor_version": "1",
        "model_name": None,
        "confidence": 0.9,
        "missing_excerpt": False,
    }
    return row | changes


def item(item_id: str = "ki_1", **changes: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": item_id,
        "project_id": BASE,
        "type": "fact",
        "subject": "roof",
        "subject_origin": "sentence",
        "title": "",
        "statement": "The roof is red.",
        "attribute_key": "roof|colour",
        "attribute_value": "red",
        "frame": None,
        "support": "direct_fact",
        "support_reason": "asserted plainly",
        "confidence": 0.9,
        "status": "active",
        "scope": "tenant",
        "entity_ids": [],
        "effective_date": None,
        "recorded_at": AT,
        "extractor_name": "rules",
        "extractor_version": "1",
        "review_status": "unreviewed",
        "superseded_by": None,
        "evidence_count": 1,
        "origins": 1,
        "document_ids": ["doc_1"],
        "source_ids": ["src_1"],
        "conflict_ids": [],
        "entities": [],
        "evidence": [evidence(item_id)],
    }
    return row | changes


def conflict(**changes: object) -> dict[str, object]:
    row: dict[str, object] = {
        "id": "cf_1",
        "project_id": BASE,
        "type": "attribute_mismatch",
        "subject": "roof",
        "attribute_key": "roof|colour",
        "status": "open",
        "description": "two values",
        "why": "same subject and attribute",
        "sides": [],
        "item_ids": ["ki_1", "ki_2"],
        "source_ids": ["src_1"],
        "suggested_resolution": None,
        "resolution": None,
        "assignee": None,
        "digest": "dd",
        "items": [item("ki_1"), item("ki_2")],
        "detected_at": AT,
    }
    return row | changes


def page(*rows: object, **changes: object) -> dict[str, object]:
    return {"items": list(rows), "next_cursor": None, "page_size": 50, "total": None, "view_id": VIEW} | changes


def search(*items: Mapping[str, object], **changes: object) -> dict[str, object]:
    hits = [{"item": row, "score": 1.0, "snippet": "", "why": "words", "routes": []} for row in items]
    row: dict[str, object] = {
        "query": "roof",
        "parsed": {},
        "backend": "sqlite-fts5",
        "index_version": "1",
        "strategy": "words",
        "view_id": VIEW,
        "took_ms": 1.5,
        "entities": [],
        "knowledge": hits,
    }
    return row | changes


class Engine:
    """Answers by 'METHOD path'; keeps what it was asked. An answer may be a value, a response or a function."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.asked: list[httpx2.Request] = []
        self.alarms: list[Alarm] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = self.answers.get(f"{request.method} {request.url.path.removeprefix('/api/')}")
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, httpx2.Response):
            return answer
        if answer is None:
            return httpx2.Response(404, json={"error": {"code": "not_found", "message": "Unknown."}})
        return httpx2.Response(
            200, content=json.dumps(answer), headers={"X-Request-Id": "req_up", "Content-Type": "application/json"}
        )

    def client(self, **options: object) -> EngineClient:
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return EngineClient(http, Circuit(), **options)  # type: ignore[arg-type]

    def provider(self, *, cache_seconds: float = 0, endpoint: str = "http://127.0.0.1:8790/api") -> ForagerProvider:
        return ForagerProvider(
            EngineAccess(endpoint, "fgr_secret"),
            client=self.client(),
            on_alarm=self.alarms.append,
            cache=ReadCache(),
            cache_seconds=cache_seconds,
        )
