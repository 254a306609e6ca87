"""A short memory of reads. Its keys hold the scope and the view, so that nothing is read past either.

The view is learned from every answer that passes; when it moves, what was kept for the old one is out of reach.
Only candidate lists are kept. Batch reads before serialising, admission, opening and checks never come here.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from knowledge.scope import KnowledgeScope

ENTRY_LIMIT = 500


@dataclass(frozen=True, slots=True)
class _Entry:
    until: float
    value: object


class ReadCache:
    """Safe to share between threads. Values are frozen, so that handing one out twice is harmless."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, limit: int = ENTRY_LIMIT) -> None:
        self._clock = clock
        self._limit = limit
        self._lock = threading.Lock()
        self._views: dict[tuple[str, str], str] = {}
        self._entries: OrderedDict[tuple[Hashable, ...], _Entry] = OrderedDict()

    def saw(self, origin: str, scope: KnowledgeScope, view_id: str) -> None:
        """An answer of ``origin`` (an endpoint and the credential used there) told the base's current view."""
        if view_id:
            with self._lock:
                self._views[origin, scope.base_id] = view_id

    def forget(self, origin: str, scope: KnowledgeScope) -> None:
        """After a change of our own: the next read finds out where the base stands."""
        with self._lock:
            self._views.pop((origin, scope.base_id), None)

    def get[T](self, origin: str, scope: KnowledgeScope, call: Hashable, kind: type[T]) -> T | None:
        with self._lock:
            key = self._key(origin, scope, call)
            entry = self._entries.get(key) if key else None
            if entry is None or entry.until <= self._clock() or not isinstance(entry.value, kind):
                return None
            return entry.value

    def put(self, origin: str, scope: KnowledgeScope, call: Hashable, value: object, seconds: float) -> None:
        with self._lock:
            key = self._key(origin, scope, call)
            if key is None or seconds <= 0:
                return
            self._entries[key] = _Entry(self._clock() + seconds, value)
            self._entries.move_to_end(key)
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)

    def _key(self, origin: str, scope: KnowledgeScope, call: Hashable) -> tuple[Hashable, ...] | None:
        view = self._views.get((origin, scope.base_id))
        return (origin, scope, view, call) if view else None
