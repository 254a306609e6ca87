"""Every way a call can end is a value."""

import httpx2
import pytest

from knowledge.engine.cache import ReadCache
from knowledge.engine.circuit import Circuit
from knowledge.engine.client import Call, EngineAccess
from knowledge.failures import Failed, Failure, Ok, Outcome
from tests.knowledge.wire_rows import BASE, SCOPE, Engine, conflict, item, page, search

ACCESS = EngineAccess("http://127.0.0.1:8790/api", "fgr_secret")
PING = Call("GET", "ping", 5000)


def failed(outcome: Outcome[object]) -> Failed:
    assert isinstance(outcome, Failed)
    return outcome


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (400, Failure.INVALID),
        (401, Failure.UNAUTHORIZED),
        (403, Failure.FORBIDDEN),
        (404, Failure.NOT_FOUND),
        (405, Failure.INCOMPATIBLE),
        (409, Failure.CONFLICT),
        (412, Failure.CONFLICT),
        (413, Failure.INVALID),
        (429, Failure.RATE_LIMITED),
        (500, Failure.UNAVAILABLE),
        (503, Failure.UNAVAILABLE),
        (507, Failure.UNAVAILABLE),
        (302, Failure.INCOMPATIBLE),
        (418, Failure.MALFORMED),
    ],
)
def test_each_status_is_one_kind_of_failure(status: int, failure: Failure) -> None:
    engine = Engine({"GET ping": httpx2.Response(status, json={"error": {"code": "c", "message": "m"}})})
    assert failed(engine.client().call(ACCESS, PING)).failure is failure


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (httpx2.ReadTimeout("secret"), Failure.TIMEOUT),
        (httpx2.ConnectTimeout("secret"), Failure.TIMEOUT),
        (httpx2.ConnectError("secret"), Failure.UNAVAILABLE),
        (httpx2.ReadError("secret"), Failure.UNAVAILABLE),
        (httpx2.DecodingError("secret"), Failure.MALFORMED),
    ],
)
def test_transport_errors_become_failures_that_say_nothing_of_the_error(error: Exception, failure: Failure) -> None:
    def raises(request: httpx2.Request) -> None:
        raise error

    outcome = failed(Engine({"GET ping": raises}).client().call(ACCESS, PING))
    assert outcome.failure is failure
    assert "secret" not in outcome.reason


def test_a_timeout_names_the_time_allowed() -> None:
    def slow(request: httpx2.Request) -> None:
        raise httpx2.ReadTimeout("")

    outcome = failed(Engine({"GET ping": slow}).client().call(ACCESS, PING))
    assert outcome.limit_ms == 5000
    assert outcome.reason == "The knowledge service did not respond within 5000ms."


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a":NaN}', b"[" * 100_000, b"\xff"])
def test_a_body_that_is_no_json_is_malformed(body: bytes) -> None:
    engine = Engine({"GET ping": httpx2.Response(200, content=body)})
    assert failed(engine.client().call(ACCESS, PING)).failure is Failure.MALFORMED


def test_an_answer_without_end_is_cut_off() -> None:
    endless = httpx2.Response(200, content=(b"x" * 1024 * 1024 for _ in iter(int, 1)))
    assert failed(Engine({"GET ping": endless}).client().call(ACCESS, PING)).failure is Failure.MALFORMED


def test_an_answer_that_trickles_past_the_deadline_is_a_timeout() -> None:
    ticks = iter(range(0, 1000, 3))
    engine = Engine({"GET ping": httpx2.Response(200, content=(b" " for _ in range(100)))})
    client = engine.client(clock=lambda: float(next(ticks)))
    assert failed(client.call(ACCESS, PING)).failure is Failure.TIMEOUT


def test_a_redirect_is_not_followed() -> None:
    engine = Engine({"GET ping": httpx2.Response(302, headers={"Location": "http://169.254.169.254/"})})
    failed(engine.client().call(ACCESS, PING))
    assert len(engine.asked) == 1


def test_the_call_goes_to_the_checked_address_with_the_name_as_host() -> None:
    engine = Engine({"GET ping": {}})
    client = engine.client(resolver=lambda host, port: ["127.0.0.1"])
    client.call(EngineAccess("http://engine.local:8790/api", "t"), PING)
    assert engine.asked[0].url.host == "127.0.0.1"
    assert engine.asked[0].headers["Host"] == "engine.local:8790"


def test_a_forbidden_address_is_never_called() -> None:
    engine = Engine({"GET ping": {}})
    outcome = engine.client().call(EngineAccess("http://10.0.0.5/", "t"), PING)
    assert failed(outcome).failure is Failure.UNAVAILABLE
    assert engine.asked == []


def test_every_call_carries_the_token_a_request_id_and_the_base() -> None:
    engine = Engine({"GET jobs/job_1": None})
    engine.provider().job(SCOPE, "job_1")
    headers = engine.asked[0].headers
    assert headers["Authorization"] == "Bearer fgr_secret"
    assert headers["X-Forager-Project"] == BASE
    assert headers["X-Request-Id"].startswith("req_")


@pytest.mark.parametrize(("given", "kept"), [("console-12345678", True), ("a\r\nHost: x", False), ("", False)])
def test_the_id_of_the_request_it_is_done_for_goes_along_when_it_is_sane(given: str, kept: bool) -> None:
    engine = Engine({"GET ping": {}})
    engine.client().call(EngineAccess("http://127.0.0.1:8790", "t", request_id=given), PING)
    assert (engine.asked[0].headers["X-Request-Id"] == given) is kept


def test_the_engines_message_is_told_on_one_line_and_bounded() -> None:
    body = {"error": {"code": "validation_error", "message": "a\r\nb\u202e" + "x" * 900, "fields": {"q": "long"}}}
    outcome = failed(Engine({"GET ping": httpx2.Response(400, json=body)}).client().call(ACCESS, PING))
    assert outcome.reason.startswith("a b x")
    assert len(outcome.reason) == 300
    assert ("q", "long") in outcome.fields


def test_a_closed_kept_connection_is_tried_once_more_for_reads_only() -> None:
    calls: list[str] = []

    def flaky(request: httpx2.Request) -> object:
        calls.append(request.method)
        if len(calls) == 1:
            raise httpx2.RemoteProtocolError("gone")
        return {}

    engine = Engine({"GET ping": flaky, "POST ping": flaky})
    assert isinstance(engine.client().call(ACCESS, PING), Ok)
    calls.clear()
    assert isinstance(engine.client().call(ACCESS, Call("POST", "ping", 5000)), Failed)


def test_the_breaker_answers_at_once_after_three_failures_and_tries_again_later() -> None:
    now = [0.0]
    circuit = Circuit(clock=lambda: now[0])
    down = Failed(Failure.UNAVAILABLE, "down")
    for _ in range(3):
        assert circuit.refusal("e") is None
        circuit.saw("e", down)
    assert circuit.refusal("e") is down
    now[0] = 4.0
    assert circuit.refusal("e") is None
    assert circuit.refusal("e") is down
    circuit.saw("e", None)
    assert circuit.refusal("e") is None


def test_a_refusal_by_the_engine_is_a_sign_of_life() -> None:
    circuit = Circuit(threshold=1)
    circuit.saw("e", Failed(Failure.NOT_FOUND, ""))
    assert circuit.refusal("e") is None


def test_kept_searches_end_with_the_view_they_were_read_on() -> None:
    engine = Engine({f"GET projects/{BASE}/search": search(item()), f"GET projects/{BASE}/knowledge": page(item())})
    provider = engine.provider(cache_seconds=30)
    provider.search(SCOPE, "roof")
    provider.search(SCOPE, "roof")
    assert len(engine.asked) == 1
    engine.answers[f"GET projects/{BASE}/knowledge"] = page(item(), view_id="4:1")
    provider.statements_by_id(SCOPE, ["ki_1"])
    provider.search(SCOPE, "roof")
    assert len(engine.asked) == 3


def test_a_change_of_our_own_forgets_what_was_kept() -> None:
    engine = Engine({f"GET projects/{BASE}/search": search(item()), "POST conflicts/cf_1/reopen": conflict()})
    provider = engine.provider(cache_seconds=30)
    provider.search(SCOPE, "roof")
    provider.reopen(SCOPE, "cf_1", actor="a", notes="")
    provider.search(SCOPE, "roof")
    assert len(engine.asked) == 3


def test_nothing_is_kept_past_its_time_or_for_another_scope() -> None:
    now = [0.0]
    cache = ReadCache(clock=lambda: now[0])
    other = SCOPE.__class__(SCOPE.level, "proj_other", "other")
    for scope in (SCOPE, other):
        cache.saw("e", scope, "1:1")
    cache.put("e", SCOPE, "q", "kept", 30)
    assert cache.get("e", SCOPE, "q", str) == "kept"
    assert cache.get("e", other, "q", str) is None
    now[0] = 31
    assert cache.get("e", SCOPE, "q", str) is None
