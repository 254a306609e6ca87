"""The provider of a request, made from the settings as they stand, and what the engine answers about itself."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.conf import settings as django_settings
from django.utils.module_loading import import_string

from console.connection.settings import ConnectionSettings
from console.connection.states import missing_setting
from console.http import current_request_id
from console.measures import saw_engine_call
from knowledge.engine.client import EngineAccess
from knowledge.engine.providers import ForagerProvider, NullProvider
from knowledge.failures import Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Engine

log = structlog.get_logger("console.connection")

type ProviderFactory = Callable[[ConnectionSettings], KnowledgeProvider]

PROBE_KEPT_SECONDS = 5.0


def provider_for(settings: ConnectionSettings) -> KnowledgeProvider:
    """The engine over HTTP, or the one that refuses everything when knowledge is off or not configured."""
    if not settings.enabled:
        return NullProvider("Knowledge is switched off in this console.")
    if missing := missing_setting(settings):
        return NullProvider(f"No engine is configured: {missing} is empty.")
    factory: ProviderFactory = import_string(django_settings.KNOWLEDGE_PROVIDER)
    return factory(settings)


def over_http(settings: ConnectionSettings) -> KnowledgeProvider:
    access = EngineAccess(
        endpoint=settings.endpoint,
        token=settings.token,
        allow_remote=settings.allow_remote,
        probe_ms=settings.probe_timeout_ms,
        retrieval_ms=settings.retrieval_timeout_ms,
        ingestion_ms=settings.ingestion_timeout_ms,
        request_id=current_request_id(),
        on_call=saw_engine_call,
    )
    return ForagerProvider(access, on_alarm=_alarm, cache_seconds=settings.cache_seconds)


def _alarm(*args: object) -> None:
    """A row of another base, or one the scope may not read, came from the engine and was dropped."""
    log.warning("knowledge.row_dropped", details=[str(each)[:80] for each in args])


@dataclass(frozen=True, slots=True)
class _Kept:
    until: float
    key: tuple[str, str]
    outcome: Outcome[Engine]


class _ProbeMemory:
    """Remembers a good answer for a few seconds; a bad one is never kept, so recovery shows at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: _Kept | None = None

    def ask(self, settings: ConnectionSettings, provider: KnowledgeProvider) -> Outcome[Engine]:
        key = (settings.endpoint, settings.token)
        with self._lock:
            kept = self._kept
        if kept and kept.key == key and kept.until > time.monotonic():
            return kept.outcome
        outcome = provider.engine()
        with self._lock:
            self._kept = _Kept(time.monotonic() + PROBE_KEPT_SECONDS, key, outcome) if isinstance(outcome, Ok) else None
        return outcome

    def forget(self) -> None:
        with self._lock:
            self._kept = None


_memory = _ProbeMemory()
probe_engine = _memory.ask
forget_probe = _memory.forget
