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
    EVIDENCE_UNAVAILABLE = "evidence_unavailable"
    BUDGET_EXHAUSTED = "budget_exhausted"


@dataclass(frozen=True, slots=True)
class Ok[T]:
    value: T
    ok: Literal[True] = True


@dataclass(frozen=True, slots=True)
class Failed:
    """``reason`` is one sentence fit for an operator; it never holds a body, a token or an excerpt.

    ``limit_ms`` is the time that was allowed, for a timeout; ``retry_after`` the seconds until another call may be
    made, for a caller that made too many.
    """

    failure: Failure
    reason: str
    upstream_request_id: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    ok: Literal[False] = False
    limit_ms: int | None = None
    retry_after: int | None = None


type Outcome[T] = Ok[T] | Failed


_LEADS = {
    Failure.DISABLED: "knowledge is switched off for this colony.",
    Failure.UNAVAILABLE: "the knowledge service could not be reached.",
    Failure.UNAUTHORIZED: "the knowledge service did not accept the credential it was given.",
    Failure.FORBIDDEN: "this caller is not permitted to read the knowledge asked for.",
    Failure.INCOMPATIBLE: "the knowledge service speaks a contract this build does not know.",
    Failure.SCOPE_UNRESOLVED: "no knowledge base could be determined for this work, so none was read.",
    Failure.NOT_FOUND: "what was asked for is not known in this scope.",
    Failure.INVALID: "the request is not one the knowledge service accepts.",
    Failure.CONFLICT: "what was asked about has changed in the meantime.",
    Failure.MALFORMED: "the knowledge service gave an answer that cannot be relied on.",
    Failure.RATE_LIMITED: "too many requests were made; ask again later.",
    Failure.EVIDENCE_UNAVAILABLE: "the evidence asked for may not be given now.",
    Failure.BUDGET_EXHAUSTED: "the budget of the mission does not allow it; hand in what is held.",
}
_INSTRUCTION = """\
The mission can continue without organizational knowledge, but evidence-backed context
could not be retrieved. Do NOT substitute recalled, assumed, or generally-known facts for
it, and do not present anything from this attempt as sourced."""


def failure_text(failed: Failed) -> str:
    """What an agent is told: one sentence of its own for each kind, then what not to do instead. Never the reason."""
    return f"Knowledge retrieval is unavailable: {_lead(failed)}\n{_INSTRUCTION}"


def _lead(failed: Failed) -> str:
    if failed.failure is not Failure.TIMEOUT:
        return _LEADS[failed.failure]
    within = f"within {failed.limit_ms}ms" if failed.limit_ms is not None else "in time"
    return f"the knowledge service did not respond {within}."
