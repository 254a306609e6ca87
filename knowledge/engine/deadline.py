"""A deadline for a whole answer: the timeout of the HTTP client is for each read, and a server that drips never ends.

It starts anew whenever something was sent, so that a large upload is not counted against its answer.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx2


class _Limit:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.until = time.monotonic() + seconds

    def restart(self) -> None:
        self.until = time.monotonic() + self.seconds


_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Reads made within end with ``httpx2.ReadTimeout`` so long after the last thing that was sent."""
    token = _limit.set(_Limit(seconds))
    try:
        yield
    finally:
        _limit.reset(token)


def timed_transport(limits: httpx2.Limits) -> httpx2.HTTPTransport:
    """A transport of plain HTTP that keeps to the deadline and asks no environment for a proxy."""
    transport = httpx2.HTTPTransport(trust_env=False, limits=limits)
    pool: Any = transport._pool  # noqa: SLF001 - the client offers no other seam; a test drips and fails if it goes
    pool._network_backend = _TimedBackend(pool._network_backend)  # noqa: SLF001
    return transport


class _TimedStream:
    """A connection whose reads end at the deadline of whoever reads."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        limit = _limit.get()
        if limit is not None:
            left = limit.until - time.monotonic()
            if left <= 0:
                raise httpx2.ReadTimeout("the whole answer")
            timeout = left if timeout is None else min(timeout, left)
        found: bytes = self._stream.read(max_bytes, timeout)
        return found

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)
        limit = _limit.get()
        if limit is not None:
            limit.restart()

    def start_tls(self, *given: Any, **named: Any) -> "_TimedStream":
        return _TimedStream(self._stream.start_tls(*given, **named))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _TimedBackend:
    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.sleep: Callable[[float], None] = backend.sleep

    def connect_tcp(self, *given: Any, **named: Any) -> _TimedStream:
        return _TimedStream(self._backend.connect_tcp(*given, **named))
