"""The fence around where the engine may be: no endpoint reaches a host the operator did not allow.

An endpoint is checked when it is set and again before each call. The name is resolved once a call and the
connection goes to the very address that was checked, so that a name cannot point elsewhere in between.
"""

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from knowledge.failures import Failed, Failure, Ok, Outcome

type IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
type Resolver = Callable[[str, int], Sequence[str]]

NUMERIC = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """``url`` names the checked address itself; ``host_header`` and ``server_name`` keep the name it was given."""

    url: str
    host_header: str
    server_name: str
    is_loopback: bool


def resolve_name(host: str, port: int) -> Sequence[str]:
    """Every address of a name, in the order the system prefers."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def check_endpoint(endpoint: str, *, allow_remote: bool, resolver: Resolver = resolve_name) -> Outcome[Address]:
    """The address to call, or why it may not be called. Every address of the name must be allowed.

    *Invalid* is an endpoint that no setting may hold, *unavailable* one that may not or cannot be reached.
    """
    parts = _split(endpoint)
    if isinstance(parts, Failed):
        return parts
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    addresses = _addresses(host, port, resolver)
    if not addresses:
        return Failed(Failure.UNAVAILABLE, "The name in the knowledge endpoint does not resolve to an address.")
    for address in addresses:
        refusal = _refusal(address, allow_remote=allow_remote)
        if refusal:
            return Failed(Failure.UNAVAILABLE, refusal)
    return Ok(_address(parts, addresses[0], port))


def _split(endpoint: str) -> SplitResult | Failed:
    try:
        parts = urlsplit(endpoint.strip())
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return _invalid("is not a URL")
    if parts.scheme not in DEFAULT_PORTS or not is_whole:
        return _invalid("must be http:// or https:// with a host")
    if parts.username is not None or parts.password is not None:
        return _invalid("must not hold a user name or password")
    if _is_disguised(parts.hostname or ""):
        return _invalid("must write an address as four decimal numbers or as plain IPv6")
    if parts.query or parts.fragment or any(character in endpoint for character in "\\\r\n\t "):
        return _invalid("must not hold blanks, a query or a fragment")
    return parts


def _is_disguised(host: str) -> bool:
    """Whether it is an address in a form that others read as another one: decimal, octal, hexadecimal, short, zoned.

    A name whose last part is a number is none; the system would read it as an address all the same.
    """
    plain = unicodedata.normalize("NFKC", host).replace("\u3002", ".")
    last = plain.rstrip(".").rpartition(".")[2]
    if ":" in plain:
        return "%" in plain
    if not NUMERIC.fullmatch(last):
        return False
    try:
        return str(ipaddress.IPv4Address(host)) != host
    except ValueError:
        return True


def _invalid(why: str) -> Failed:
    return Failed(Failure.INVALID, f"The knowledge endpoint {why}.")


def _addresses(host: str, port: int, resolver: Resolver) -> list[IPAddress]:
    """IPv4 first: an engine on this machine listens there, whatever the name puts first."""
    try:
        return [ipaddress.ip_address(host)]
    except ValueError:
        pass
    try:
        found = [_plain(ipaddress.ip_address(address.split("%", 1)[0])) for address in resolver(host, port)]
    except (OSError, ValueError, UnicodeError):
        return []
    return sorted(found, key=lambda address: address.version)


def _plain(address: IPAddress) -> IPAddress:
    """The IPv4 address inside a mapped IPv6 one."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _refusal(address: IPAddress, *, allow_remote: bool) -> str:
    address = _plain(address)
    if address.is_loopback:
        return ""
    carries_another = isinstance(address, ipaddress.IPv6Address) and (address.sixtofour or address.teredo)
    if carries_another:
        return "The knowledge endpoint points at an address that stands for another one."
    if address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved:
        return "The knowledge endpoint points at an address no service may have."
    if not allow_remote:
        return "The knowledge endpoint is not on this machine; knowledge_forager_allow_remote in the file allows that."
    return ""


def _address(parts: SplitResult, address: IPAddress, port: int) -> Address:
    literal = f"[{address}]" if address.version == 6 else str(address)
    return Address(
        url=f"{parts.scheme}://{literal}:{port}{parts.path.rstrip('/')}",
        host_header=parts.netloc,
        server_name=parts.hostname or "",
        is_loopback=_plain(address).is_loopback,
    )
