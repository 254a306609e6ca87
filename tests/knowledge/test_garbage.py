"""A real server that answers garbage: each kind is a typed failure within its time, and nothing of it is passed on."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from knowledge.engine.answers import ANSWER_LIMIT
from knowledge.engine.cache import ReadCache
from knowledge.engine.client import EngineAccess, made_client
from knowledge.engine.providers import ForagerProvider
from knowledge.failures import Failed, Failure
from knowledge.provider import StatementFilter
from knowledge.scope import KnowledgeScope, Level

SCOPE = KnowledgeScope(Level.PROJECT, "proj_1", "one")
MARKER = "planted-marker"
LIMIT_MS = 400

type Answer = Callable[[socket.socket], None]


def head(kind: str = "application/json", *more: str, length: int | None = None, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def sends(body: bytes, kind: str = "application/json", *more: str, status: str = "200 OK") -> Answer:
    return lambda to: to.sendall(head(kind, *more, length=len(body), status=status) + body)


def page(status: str, *more: str) -> Answer:
    return sends(f"<h1>{MARKER}</h1>".encode(), "text/html", *more, status=status)


def is_cut(to: socket.socket) -> None:
    to.sendall(head(length=1000) + f'{{"items": [{{"statement": "{MARKER}'.encode())


def is_huge(to: socket.socket) -> None:
    to.sendall(head(length=ANSWER_LIMIT * 4) + b'{"items": ["')
    block = b"x" * 1_000_000
    with suppress(OSError):
        for _ in range(ANSWER_LIMIT * 2 // len(block)):
            to.sendall(block)


def drips_a_body(to: socket.socket) -> None:
    to.sendall(head(length=100_000))
    drip(to)


def drips_a_head(to: socket.socket) -> None:
    to.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    drip(to)


def drip(to: socket.socket) -> None:
    with suppress(OSError):
        for _ in range(100):
            to.sendall(b"a")
            time.sleep(0.1)


def says_nothing(_to: socket.socket) -> None:
    time.sleep(2)


def hangs_up(_to: socket.socket) -> None:
    """Closed by whoever called."""


MALFORMED, AWAY, LATE = Failure.MALFORMED, Failure.UNAVAILABLE, Failure.TIMEOUT
PACKED = ("application/json", "Content-Encoding: gzip")
DEEP = b"[" * 200_000 + b"]" * 200_000
GARBAGE: dict[str, tuple[Answer, Failure]] = {
    "a page": (sends(f"<html>{MARKER}</html>".encode(), "text/html"), MALFORMED),
    "a page that says it is JSON": (sends(f"<html>{MARKER}</html>".encode()), MALFORMED),
    "JSON that says it is a page": (sends(b'{"items": [], "next_cursor": null}', "text/html"), MALFORMED),
    "JSON that says nothing": (sends(b'{"items": [], "next_cursor": null}', "application/octet-stream"), MALFORMED),
    "nothing": (sends(b""), MALFORMED),
    "half of it": (is_cut, AWAY),
    "a list": (sends(b"[1, 2]"), MALFORMED),
    "numbers that are none": (sends(b'{"items": [NaN], "next_cursor": Infinity}'), MALFORMED),
    "not UTF-8": (sends(b'{"items": ["\xff\xfe"], "next_cursor": null}'), MALFORMED),
    "without end": (sends(DEEP), MALFORMED),
    "other fields": (sends(f'{{"results": ["{MARKER}"]}}'.encode()), MALFORMED),
    "too much": (is_huge, MALFORMED),
    "a small bomb": (
        sends(gzip.compress(b" " * ANSWER_LIMIT * 4), "application/json", "Content-Encoding: gzip"),
        MALFORMED,
    ),
    "what is no gzip": (sends(MARKER.encode(), *PACKED), MALFORMED),
    "another protocol": (lambda to: to.sendall(f"SSH-2.0-{MARKER}\r\n".encode()), AWAY),
    "a head without end": (lambda to: to.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000), AWAY),
    "a body that drips": (drips_a_body, LATE),
    "a head that drips": (drips_a_head, LATE),
    "silence": (says_nothing, LATE),
    "a closed door": (hangs_up, AWAY),
    "an error page": (page("502 Bad Gateway"), AWAY),
    "a sign-in page": (
        page("401 Unauthorized"),
        Failure.UNAUTHORIZED,
    ),
    "a teapot": (page("418 Teapot"), MALFORMED),
    "elsewhere": (
        sends(b"", "text/html", f"Location: http://{MARKER}.example/", status="302 Found"),
        Failure.INCOMPATIBLE,
    ),
}


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server on this machine that reads a request and answers so, each time."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    to, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=one, args=(to,), daemon=True).start()

        def one(to: socket.socket) -> None:
            with to, suppress(OSError):
                to.recv(65536)
                answer(to)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def provider_at(url: str) -> ForagerProvider:
    access = EngineAccess(url, "fgr_x", probe_ms=LIMIT_MS, retrieval_ms=LIMIT_MS, ingestion_ms=LIMIT_MS)
    return ForagerProvider(access, client=made_client(), cache=ReadCache())


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_a_typed_failure_in_time_and_nothing_of_it_is_told(name: str) -> None:
    answer, expected = GARBAGE[name]
    with answering(answer) as url:
        provider = provider_at(url)
        for ask in (provider.engine, lambda: provider.statements(SCOPE, StatementFilter())):
            began = time.monotonic()
            outcome = ask()  # type: ignore[operator]
            took = time.monotonic() - began
            assert isinstance(outcome, Failed), name
            assert outcome.failure is expected, (name, outcome)
            assert MARKER not in f"{outcome.reason}{outcome.fields}{outcome.upstream_request_id}"
            assert took < 2.5, (name, took)


def test_after_three_silences_the_breaker_answers_at_once_and_lets_one_through_when_it_cools() -> None:
    answers = iter([says_nothing] * 3)
    good = sends(b'{"items": [], "next_cursor": null}')

    def first_silent(to: socket.socket) -> None:
        next(answers, good)(to)

    with answering(first_silent) as url:
        provider = provider_at(url)

        def ask() -> tuple[bool, float]:
            began = time.monotonic()
            found = provider.statements(SCOPE, StatementFilter())
            return found.ok, time.monotonic() - began

        silent = [ask() for _ in range(3)]
        assert [ok for ok, _took in silent] == [False] * 3
        assert all(took >= LIMIT_MS / 1000 * 0.9 for _ok, took in silent)
        ok, took = ask()
        assert not ok
        assert took < 0.1, "no call is made while it is open"
        deadline = time.monotonic() + 8
        while not ask()[0]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert ask()[0]
