"""The only caller of the engine: one HTTP client a process, every call with a deadline and a bounded answer.

Nothing here raises for what the engine or the network does: outcomes are values. Bodies are never logged.
"""

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import BinaryIO

import httpx2

from knowledge.engine.address import Address, Resolver, check_endpoint, resolve_name
from knowledge.engine.answers import ANSWER_LIMIT, Reply, failure_of, malformed, transport_failure
from knowledge.engine.circuit import Circuit
from knowledge.engine.deadline import timed_transport, within
from knowledge.engine.origin import asked_for
from knowledge.failures import Failed, Ok, Outcome

LIMITS = httpx2.Limits(max_connections=40, max_keepalive_connections=20, keepalive_expiry=1.5)
"""Idle connections are dropped before the engine's server drops them (2 s)."""

SANE_ID = re.compile(r"[A-Za-z0-9._-]{8,100}")

type OnCall = Callable[[str, str, float], None]
"""Told of every call that was made: its method, ``ok`` or the failure, and seconds until its headers came."""

type Query = Mapping[str, str | int | bool]
type FilePart = tuple[str, tuple[str, BinaryIO, str]]


@dataclass(frozen=True, slots=True)
class EngineAccess:
    """How the engine is reached, read anew for each request. Times are in milliseconds.

    ``request_id`` is the id of the request this is done for; where it is empty that of ``asking_for`` is taken, and one
    is made where there is none or it is not fit for a header.
    """

    endpoint: str
    token: str = field(repr=False)
    allow_remote: bool = False
    probe_ms: int = 2000
    retrieval_ms: int = 5000
    ingestion_ms: int = 10000
    request_id: str = ""
    on_call: OnCall = field(default=lambda _method, _outcome, _seconds: None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One request. ``base_id`` goes along on routes by id, so that the engine fences them."""

    method: str
    path: str
    limit_ms: int
    query: Query = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    base_id: str = ""
    idempotency_key: str = ""
    files: Sequence[FilePart] = ()
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_probe: bool = False


class EngineClient:
    """``http`` is the seam for tests: any client over a ``MockTransport`` will do."""

    def __init__(
        self,
        http: httpx2.Client,
        circuit: Circuit,
        resolver: Resolver = resolve_name,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = http
        self._circuit = circuit
        self._resolver = resolver
        self._clock = clock

    def call(self, access: EngineAccess, call: Call) -> Outcome[Reply]:
        """The decoded answer of a successful call, or the failure it stands for."""
        with within(call.limit_ms / 1000):
            outcome = self._sent(access, call)
            if isinstance(outcome, Failed):
                return outcome
            with _closing(outcome.value) as response:
                return self._answer(response, call)

    def download(self, access: EngineAccess, call: Call) -> Outcome[httpx2.Response]:
        """An open response to stream from; whoever takes it closes it."""
        with within(call.limit_ms / 1000):
            outcome = self._sent(access, call)
        if isinstance(outcome, Failed) or outcome.value.is_success:
            return outcome
        with _closing(outcome.value) as response:
            answer = self._answer(response, call)
        return answer if isinstance(answer, Failed) else malformed("The engine sent no file.", "")

    def _sent(self, access: EngineAccess, call: Call) -> Outcome[httpx2.Response]:
        address = check_endpoint(access.endpoint, allow_remote=access.allow_remote, resolver=self._resolver)
        if isinstance(address, Failed):
            return address
        refusal = None if call.is_probe else self._circuit.refusal(access.endpoint)
        if refusal is not None:
            return refusal
        began = self._clock()
        outcome = self._attempt(access, call, address.value)
        ended = outcome.failure.value if isinstance(outcome, Failed) else _class_of(outcome.value.status_code)
        access.on_call(call.method, ended, self._clock() - began)
        self._circuit.saw(access.endpoint, outcome if isinstance(outcome, Failed) else None)
        return outcome

    def _attempt(self, access: EngineAccess, call: Call, address: Address) -> Outcome[httpx2.Response]:
        """Reading calls are tried once more when a kept connection turns out to be closed."""
        tries = 2 if call.method == "GET" else 1
        asked = access.request_id or asked_for()
        request_id = asked if SANE_ID.fullmatch(asked) else f"req_{uuid.uuid4().hex}"
        for attempt in range(tries):
            try:
                request = self._request(access, call, address, request_id)
                return Ok(self._http.send(request, stream=True, follow_redirects=False))
            except httpx2.RemoteProtocolError as error:
                if attempt + 1 == tries:
                    return transport_failure(error, call.limit_ms, request_id)
            except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
                return transport_failure(error, call.limit_ms, request_id)
        raise AssertionError("unreachable")

    def _request(self, access: EngineAccess, call: Call, address: Address, request_id: str) -> httpx2.Request:
        headers = {"Host": address.host_header, "Accept": "application/json", "X-Request-Id": request_id}
        if access.token:
            headers["Authorization"] = f"Bearer {access.token}"
        if call.base_id:
            headers["X-Forager-Project"] = call.base_id
        if call.idempotency_key:
            headers["Idempotency-Key"] = call.idempotency_key
        return self._http.build_request(
            call.method,
            f"{address.url.removesuffix('/api')}/api/{call.path.lstrip('/')}",
            params={key: _word(value) for key, value in call.query.items()},
            json=call.body,
            files=list(call.files) or None,
            data=dict(call.form) or None,
            headers=headers,
            timeout=httpx2.Timeout(call.limit_ms / 1000),
            extensions={"sni_hostname": address.server_name},
        )

    def _answer(self, response: httpx2.Response, call: Call) -> Outcome[Reply]:
        request_id = response.headers.get("X-Request-Id", "")[:100]
        content = self._bounded(response, call, request_id)
        if isinstance(content, Failed):
            return content
        value = _decoded(content) if _is_json(response) else None
        if not response.is_success:
            return failure_of(response.status_code, value, request_id, response.headers)
        if value is None:
            return malformed("The engine's answer is not JSON.", request_id)
        return Ok(Reply(response.status_code, value, request_id))

    def _bounded(self, response: httpx2.Response, call: Call, request_id: str) -> bytes | Failed:
        """The whole body, within its size and the call's time."""
        deadline = self._clock() + call.limit_ms / 1000
        parts: list[bytes] = []
        size = 0
        try:
            for part in response.iter_bytes():
                size += len(part)
                if size > ANSWER_LIMIT:
                    return malformed("The engine's answer is larger than any it may give.", request_id)
                if self._clock() > deadline:
                    timeout = httpx2.ReadTimeout("deadline")
                    return transport_failure(timeout, call.limit_ms, request_id)
                parts.append(part)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            return transport_failure(error, call.limit_ms, request_id)
        return b"".join(parts)


def _class_of(status: int) -> str:
    return "ok" if status < 400 else f"status_{status // 100}xx"


@contextmanager
def _closing(response: httpx2.Response) -> Iterator[httpx2.Response]:
    try:
        yield response
    finally:
        response.close()


def _word(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_json(response: httpx2.Response) -> bool:
    """What says it is something else is none of the engine's, whatever it looks like."""
    kind: str = response.headers.get("Content-Type", "")
    return kind.partition(";")[0].strip().lower() == "application/json"


def _decoded(content: bytes) -> object | None:
    """The JSON value, None when it is none; numbers that JSON does not have are refused."""
    try:
        value: object = json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value


def _refuse(name: str) -> float:
    raise ValueError(name)


@cache
def shared_client() -> EngineClient:
    """The one client of this process."""
    return made_client()


def made_client() -> EngineClient:
    """One with connections and a breaker of its own."""
    http = httpx2.Client(transport=timed_transport(LIMITS), trust_env=False, follow_redirects=False)
    return EngineClient(http, Circuit())
