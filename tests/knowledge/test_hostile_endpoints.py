"""Endpoints that try to be somewhere else: refused when they are set and again at every call."""

import http.server
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx2
import pytest

from knowledge.engine.address import check_endpoint
from knowledge.engine.circuit import Circuit
from knowledge.engine.client import Call, EngineAccess, EngineClient, made_client
from knowledge.failures import Failed, Failure, Ok

HOSTILE = {
    "decimal": "http://2130706433:8790",
    "decimal, metadata": "http://2852039166/",
    "octal": "http://0177.0.0.1:8790",
    "octal, short": "http://0177.1/",
    "hexadecimal": "http://0x7f000001/",
    "hexadecimal parts": "http://0x7f.0.0.1/",
    "short": "http://127.1:8790",
    "zero": "http://0/",
    "leading zero": "http://127.0.0.01/",
    "trailing dot": "http://127.0.0.1./",
    "full width": "http://１２７.０.０.１/",
    "ideographic dot": "http://127。0。0。1/",
    "user": "http://127.0.0.1@169.254.169.254/",
    "user and password": "http://127.0.0.1:8790@10.0.0.1/",
    "empty user": "http://@127.0.0.1/",
    "encoded slash as user": "http://127.0.0.1%2f@evil.example/",
    "backslash": "http://127.0.0.1\\@evil.example/",
    "fragment": "http://127.0.0.1#@evil.example/",
    "query": "http://127.0.0.1?@evil.example/",
    "line end": "http://127.0.0.1/\r\nHost: evil.example",
    "zone": "http://[fe80::1%25eth0]/",
    "zone of loopback": "http://[::1%25lo]/",
    "mapped metadata": "http://[::ffff:169.254.169.254]/",
    "mapped metadata in hexadecimal": "http://[::ffff:a9fe:a9fe]/",
    "compatible loopback": "http://[::127.0.0.1]/",
    "6to4 of loopback": "http://[2002:7f00:1::]/",
    "Teredo": "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "NAT64 of metadata": "http://[64:ff9b::a9fe:a9fe]/",
    "unspecified": "http://[::]/",
    "site multicast": "http://[ff02::1]/",
    "metadata": "http://169.254.169.254/latest/meta-data",
    "file": "file:///etc/passwd",
    "gopher": "gopher://127.0.0.1:6379/_FLUSHALL",
    "no host": "http:///127.0.0.1/",
    "relative": "//127.0.0.1/",
}
TOKEN = "fgr_planted"


@pytest.mark.parametrize("allow_remote", [False, True], ids=["on this machine", "remote allowed"])
@pytest.mark.parametrize("endpoint", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_endpoint_is_refused_before_and_at_the_call(endpoint: str, *, allow_remote: bool) -> None:
    asked: list[str] = []

    def anywhere(host: str, _port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    checked = check_endpoint(endpoint, allow_remote=allow_remote, resolver=anywhere)
    assert isinstance(checked, Failed), endpoint
    assert endpoint not in checked.reason

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        return httpx2.Response(200, json={})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    outcome = EngineClient(http, Circuit(), anywhere).call(
        EngineAccess(endpoint, TOKEN, allow_remote=allow_remote), Call("GET", "ready", 500)
    )
    assert isinstance(outcome, Failed)
    assert asked == []


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:8790", "http://localhost", "http://[::1]:8790", "http://127.0.0.2"]
)
def test_this_machine_is_not_hostile(endpoint: str) -> None:
    assert isinstance(check_endpoint(endpoint, allow_remote=False), Ok)


def test_a_name_that_is_bound_anew_between_two_calls_is_refused_at_the_second() -> None:
    answers = iter([["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1", "10.0.0.9"], ["::1"]])
    hosts: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        hosts.append(request.url.host)
        return httpx2.Response(200, json={})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    client = EngineClient(http, Circuit(), lambda _host, _port: next(answers))
    access = EngineAccess("http://engine.internal:8790", TOKEN)
    outcomes = [client.call(access, Call("GET", "ready", 500)) for _ in range(4)]
    assert [each.ok for each in outcomes] == [True, False, False, True]
    assert hosts == ["127.0.0.1", "::1"], "the very address that was checked is called, never the name"


class Stub(http.server.ThreadingHTTPServer):
    """A real server on this machine; ``seen`` are the requests that reached it."""

    def __init__(self, location: str = "") -> None:
        self.seen: list[tuple[str, str]] = []
        seen = self.seen

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append((self.path, self.headers.get("Authorization", "")))
                body = b"{}"
                self.send_response(302 if location else 200)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_given: object) -> None:
                """Quiet."""

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(location: str = "") -> Iterator[Stub]:
    with Stub(location) as stub:
        threading.Thread(target=stub.serve_forever, args=(0.02,), daemon=True).start()
        yield stub
        stub.shutdown()


@pytest.mark.parametrize("status", ["relative", "elsewhere", "metadata"])
def test_a_redirect_is_not_followed_and_carries_the_token_nowhere(status: str) -> None:
    with serving() as other:
        location = {"relative": "/api/other", "elsewhere": other.url, "metadata": "http://169.254.169.254/"}[status]
        with serving(location) as stub:
            outcome = made_client().call(EngineAccess(stub.url, TOKEN), Call("GET", "ready", 2000))
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.INCOMPATIBLE
    assert "redirect" in outcome.reason
    assert [path for path, _token in stub.seen] == ["/api/ready"]
    assert other.seen == []


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])
def test_a_proxy_of_the_environment_sees_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with serving() as proxy, serving() as stub:
        monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        outcome = made_client().call(EngineAccess(stub.url, TOKEN), Call("GET", "ready", 2000))
    assert isinstance(outcome, Ok)
    assert proxy.seen == []
    assert stub.seen == [("/api/ready", f"Bearer {TOKEN}")]
