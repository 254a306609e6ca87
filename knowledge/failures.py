"""Outcomes as values: ``Ok(value)`` or ``Failed(...)``. Nothing across the boundary raises.

A failure's text is part of the safety design: see ``failure_text``.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Failure(StrEnum):
    DISABLED = "disabled"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    INCOMPATIBLE = "incompatible"
    SCOPE_UNRESOLVED = "scope_unresolved"
    NOT_FOUND = "not_found"
    INVALID = "invalid"
    CONFLICT = "conflict"
    MALFORMED = "malformed"
    RATE_LIMITED = "rate_limited"


@dataclass(frozen=True, slots=True)
class Ok[T]:
    value: T
    ok: Literal[True] = True


@dataclass(frozen=True, slots=True)
class Failed:
    """``reason`` is one sentence fit for an operator; it never holds a body, a token or an excerpt."""

    failure: Failure
    reason: str
    upstream_request_id: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    ok: Literal[False] = False


type Outcome[T] = Ok[T] | Failed
