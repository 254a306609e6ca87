"""Where the engine may be."""

import pytest

from knowledge.engine.address import check_endpoint
from knowledge.failures import Failed, Failure, Ok


def named(*addresses: str):
    return lambda host, port: addresses


@pytest.mark.parametrize(
    "endpoint",
    [
        "ftp://127.0.0.1/",
        "127.0.0.1:8790",
        "http://",
        "http://user:pass@127.0.0.1/",
        "http://127.0.0.1/?a=1",
        "http://127.0.0.1/#x",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1/a\r\nHost: x",
        "http://[::1/",
    ],
)
def test_an_endpoint_that_is_no_plain_address_is_refused(endpoint: str) -> None:
    outcome = check_endpoint(endpoint, allow_remote=True)
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.INVALID


def test_loopback_is_allowed_and_pinned() -> None:
    outcome = check_endpoint("http://localhost:8790/api/", allow_remote=False, resolver=named("127.0.0.1"))
    assert isinstance(outcome, Ok)
    assert outcome.value.url == "http://127.0.0.1:8790/api"
    assert outcome.value.host_header == "localhost:8790"


def test_a_name_that_puts_ipv6_first_is_called_over_ipv4() -> None:
    outcome = check_endpoint("http://localhost:1", allow_remote=False, resolver=named("::1", "127.0.0.1"))
    assert isinstance(outcome, Ok)
    assert outcome.value.url == "http://127.0.0.1:1"


def test_a_name_with_one_remote_address_among_loopback_ones_is_refused() -> None:
    outcome = check_endpoint("http://engine:8790", allow_remote=False, resolver=named("127.0.0.1", "10.0.0.5"))
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.UNAVAILABLE


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "0.0.0.0", "224.0.0.1", "::", "fe80::1", "::ffff:169.254.169.254"],  # noqa: S104 - to refuse
)
def test_addresses_no_service_may_have_are_refused_even_when_remote_is_allowed(address: str) -> None:
    outcome = check_endpoint("http://engine", allow_remote=True, resolver=named(address))
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.UNAVAILABLE


def test_a_remote_address_needs_the_permission_of_the_file() -> None:
    resolver = named("10.0.0.5")
    assert isinstance(check_endpoint("https://engine", allow_remote=False, resolver=resolver), Failed)
    allowed = check_endpoint("https://engine", allow_remote=True, resolver=resolver)
    assert isinstance(allowed, Ok)
    assert (allowed.value.url, allowed.value.server_name) == ("https://10.0.0.5:443", "engine")


def test_a_mapped_loopback_address_is_loopback() -> None:
    assert isinstance(check_endpoint("http://[::ffff:127.0.0.1]:1/", allow_remote=False), Ok)


def test_a_name_that_does_not_resolve_is_unavailable() -> None:
    def fails(host: str, port: int) -> list[str]:
        raise OSError

    outcome = check_endpoint("http://nowhere.example", allow_remote=True, resolver=fails)
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.UNAVAILABLE
