"""From what came back, or did not, to an outcome: status codes, transport errors, error bodies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from knowledge.failures import Failed, Failure

ANSWER_LIMIT = 32 * 1024 * 1024
"""Bytes of JSON one answer may have."""
MESSAGE_LIMIT = 300
UNSEEMLY = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069]+")

BY_STATUS = {
    400: Failure.INVALID,
    401: Failure.UNAUTHORIZED,
    403: Failure.FORBIDDEN,
    404: Failure.NOT_FOUND,
    405: Failure.INCOMPATIBLE,
    409: Failure.CONFLICT,
    410: Failure.INVALID,
    412: Failure.CONFLICT,
    413: Failure.INVALID,
    415: Failure.INVALID,
    422: Failure.INVALID,
    428: Failure.CONFLICT,
    429: Failure.RATE_LIMITED,
}
REASONS = {
    Failure.UNAUTHORIZED: "The engine did not accept the credential; check knowledge_forager_token.",
    Failure.FORBIDDEN: "The engine's credential does not permit this.",
    Failure.NOT_FOUND: "The engine does not know this in the given knowledge base.",
    Failure.CONFLICT: "This has changed since it was read.",
    Failure.INVALID: "The engine did not accept the request.",
    Failure.INCOMPATIBLE: "The engine does not offer what this build asks for.",
    Failure.RATE_LIMITED: "The engine asks to slow down.",
    Failure.UNAVAILABLE: "The engine cannot answer at the moment.",
}
TOLD = frozenset((Failure.INVALID, Failure.CONFLICT, Failure.FORBIDDEN, Failure.UNAVAILABLE))
"""Failures whose own words the operator needs; the others say all in our sentence."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A decoded answer; what it holds is not yet trusted."""

    status: int
    value: object
    request_id: str


def malformed(reason: str, request_id: str) -> Failed:
    return Failed(Failure.MALFORMED, reason, request_id)


def transport_failure(error: Exception, limit_ms: int, request_id: str) -> Failed:
    """A timeout names the time that was allowed; nothing of the error's own text is passed on."""
    if isinstance(error, httpx2.TimeoutException):
        reason = f"The knowledge service did not respond within {limit_ms}ms."
        return Failed(Failure.TIMEOUT, reason, request_id, limit_ms=limit_ms)
    if isinstance(error, httpx2.DecodingError):
        return malformed("The engine's answer could not be decoded.", request_id)
    if isinstance(error, httpx2.ConnectError):
        return Failed(Failure.UNAVAILABLE, "Nothing answers at the knowledge endpoint.", request_id)
    return Failed(Failure.UNAVAILABLE, "The connection to the engine broke off.", request_id)


def failure_of(status: int, value: object, request_id: str, headers: Mapping[str, str]) -> Failed:
    """The failure a status stands for, with the engine's own message where a person needs it."""
    if 300 <= status < 400:
        return Failed(Failure.INCOMPATIBLE, "The knowledge endpoint answers with a redirect, which is not followed.")
    failure = BY_STATUS.get(status, Failure.UNAVAILABLE if status >= 500 else Failure.MALFORMED)
    error = value.get("error") if isinstance(value, dict) else None
    known = error if isinstance(error, dict) else {}
    reason = REASONS.get(failure, "The engine answered in an unexpected way.")
    if failure in TOLD:
        reason = _one_line(known.get("message")) or reason
    fields = [("code", code)] if (code := _one_line(known.get("code"))) else []
    fields.extend(_fields(known.get("fields")))
    if retry := headers.get("Retry-After", ""):
        fields.append(("retry_after", _one_line(retry)))
    return Failed(failure, reason, request_id or _one_line(known.get("request_id")), tuple(fields))


def _fields(value: object) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return []
    return [(_one_line(str(key)), _one_line(str(words))) for key, words in list(value.items())[:20]]


def _one_line(value: object) -> str:
    """Bounded words on one line; a message shown to a person must not forge a second one."""
    return " ".join(UNSEEMLY.sub(" ", value).split())[:MESSAGE_LIMIT] if isinstance(value, str) else ""
