"""A small breaker: when the engine has just failed several times, calls fail at once, so that pages stay fast."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from knowledge.failures import Failed, Failure

TRIPPING = frozenset((Failure.UNAVAILABLE, Failure.TIMEOUT))


@dataclass(slots=True)
class _Count:
    failures: int = 0
    open_until: float = 0.0
    last: Failed | None = None


class Circuit:
    """Counts failures in a row for each endpoint; open for ``cool_down`` seconds after ``threshold`` of them.

    While open, one call is let through each time the cool-down ends; its outcome decides what follows.
    """

    def __init__(
        self, *, threshold: int = 3, cool_down: float = 3.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._threshold = threshold
        self._cool_down = cool_down
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: dict[str, _Count] = {}

    def refusal(self, endpoint: str) -> Failed | None:
        """The failure that opened the circuit, while it is open; None lets the call go."""
        with self._lock:
            count = self._counts.get(endpoint)
            if count is None or count.failures < self._threshold:
                return None
            if self._clock() >= count.open_until:
                count.open_until = self._clock() + self._cool_down
                return None
            return count.last

    def saw(self, endpoint: str, failed: Failed | None) -> None:
        """Tells the breaker how a call ended; an answer of any status is a sign of life."""
        with self._lock:
            if failed is None or failed.failure not in TRIPPING:
                self._counts.pop(endpoint, None)
                return
            count = self._counts.setdefault(endpoint, _Count())
            count.failures += 1
            count.last = failed
            count.open_until = self._clock() + self._cool_down
