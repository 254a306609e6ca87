"""The calls every part of the provider makes: reads by id and page, acts, and what is remembered between them."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import replace

from knowledge.engine.cache import ReadCache
from knowledge.engine.client import Call, EngineAccess, EngineClient, Query, shared_client
from knowledge.engine.downloads import open_download
from knowledge.engine.fence import OnAlarm, no_alarm
from knowledge.engine.reading import Reading, safe_id
from knowledge.engine.wire import Row
from knowledge.failures import Failed, Outcome
from knowledge.provider import Download
from knowledge.records import Page
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Band

_shared_cache = ReadCache()


class EngineCalls:
    """Made anew for each request from the settings as they stand; the connection pool behind it is shared."""

    def __init__(
        self,
        access: EngineAccess,
        *,
        client: EngineClient | None = None,
        on_alarm: OnAlarm = no_alarm,
        cache: ReadCache | None = None,
        cache_seconds: float = 0,
    ) -> None:
        self._access = access
        self._client = client or shared_client()
        self._reading = Reading(self._client, access, on_alarm)
        self._cache = cache or _shared_cache
        self._cache_seconds = cache_seconds
        self._origin = f"{access.endpoint} {hashlib.sha256(access.token.encode()).hexdigest()}"

    def _probe(self, path: str) -> Call:
        return Call("GET", path, self._access.probe_ms, is_probe=True)

    def _get(self, path: str, query: Query | None = None) -> Call:
        return Call("GET", path, self._access.retrieval_ms, query={k: v for k, v in (query or {}).items() if v != ""})

    def _post(self, path: str, body: dict[str, object]) -> Call:
        return Call("POST", path, self._access.ingestion_ms, body=body, idempotency_key=new_key())

    def _page[T](self, scope: KnowledgeScope, name: str, read: Callable[[Row], T], query: Query) -> Outcome[Page[T]]:
        return self._reading.page(scope, self._get(f"projects/{scope.base_id}/{name}", query), name, read)

    def _one[T](
        self, scope: KnowledgeScope, path: str, row_id: str, place: str, read: Callable[[Row], T]
    ) -> Outcome[T]:
        known = safe_id(row_id)
        if isinstance(known, Failed):
            return known
        return self._reading.one(scope, self._get(path.format(known.value)), place, read)

    def _act[T](
        self,
        scope: KnowledgeScope,
        path: str,
        row_id: str,
        body: dict[str, object],
        place: str,
        read: Callable[[Row], T],
        *,
        method: str = "POST",
    ) -> Outcome[T]:
        known = safe_id(row_id)
        if isinstance(known, Failed):
            return known
        call = replace(self._post(path.format(known.value), body), method=method)
        return self._changed(scope, self._reading.one(scope, call, place, read))

    def _changed[T](self, scope: KnowledgeScope, outcome: Outcome[T]) -> Outcome[T]:
        """After a change of ours nothing remembered for this base is used any more."""
        self._cache.forget(self._origin, scope)
        return outcome

    def _download(self, scope: KnowledgeScope, path: str, row_id: str) -> Outcome[Download]:
        known = safe_id(row_id)
        if isinstance(known, Failed):
            return known
        call = Call("GET", path.format(known.value), self._access.ingestion_ms, base_id=scope.base_id)
        return open_download(self._client, self._access, call)


def band_of(scope: KnowledgeScope) -> dict[str, str]:
    """The band to ask for, where the scope may not read all."""
    return {} if scope.allows(Band.TENANT) else {"band": Band.GENERAL.value}


def new_key() -> str:
    return f"idem_{uuid.uuid4().hex}"
