"""One envelope for every answer: ``{success, message, data, error}``. Codes and statuses stand in one table."""

from dataclasses import dataclass, field

from knowledge.failures import Failed, Failure, Ok, Outcome, failure_text
from knowledge.tools import Answered
from knowledge.tools.abstaining import abstention


@dataclass(frozen=True, slots=True)
class Reply:
    """``body`` is JSON; ``headers`` go along."""

    status: int
    body: dict[str, object]
    headers: dict[str, str] = field(default_factory=dict)


CODES: dict[Failure, tuple[int, str]] = {
    Failure.INVALID: (400, "validation_error"),
    Failure.FORBIDDEN: (403, "forbidden"),
    Failure.NOT_FOUND: (404, "not_found"),
    Failure.EVIDENCE_UNAVAILABLE: (404, "evidence_unavailable"),
    Failure.CONFLICT: (409, "conflict"),
    Failure.BUDGET_EXHAUSTED: (409, "budget_exhausted"),
    Failure.SCOPE_UNRESOLVED: (409, "scope_unresolved"),
    Failure.RATE_LIMITED: (429, "rate_limited"),
    Failure.MALFORMED: (502, "malformed"),
    Failure.DISABLED: (503, "disabled"),
    Failure.UNAVAILABLE: (503, "unavailable"),
    Failure.UNAUTHORIZED: (503, "signed_out"),
    Failure.INCOMPATIBLE: (503, "incompatible"),
    Failure.TIMEOUT: (504, "timeout"),
}
"""``signed_out`` is between the console and the engine; ``unauthorized`` (401) is the agent's own token."""
REFUSALS: dict[int, tuple[str, str]] = {
    401: ("unauthorized", "This needs a usable agent token: Authorization: Bearer ant_… Cookies are not accepted."),
    404: ("not_found", "There is no such address here."),
    405: ("method_not_allowed", "This address does not take that method."),
    500: ("internal_error", "Something went wrong here. Nothing was changed; quote the request id to an operator."),
}
"""Answers that come before any tool."""
UNREADABLE = frozenset(
    (
        Failure.DISABLED,
        Failure.UNAVAILABLE,
        Failure.TIMEOUT,
        Failure.UNAUTHORIZED,
        Failure.INCOMPATIBLE,
        Failure.MALFORMED,
        Failure.SCOPE_UNRESOLVED,
    )
)
"""The base could not be read at all: an abstention of its own kind."""


def reply_to(outcome: Outcome[Answered], request_id: str) -> Reply:
    if isinstance(outcome, Ok):
        return Reply(200, _answered(outcome.value))
    return _failed(outcome, request_id)


def refusal(status: int, request_id: str) -> Reply:
    code, message = REFUSALS[status]
    headers = {"WWW-Authenticate": 'Bearer realm="knowledge"'} if status == 401 else {}
    return Reply(status, _error(code, message, request_id), headers)


def error_of(failed: Failed, request_id: str) -> dict[str, object]:
    """Code, request id and what is wrong with which field; never the operator's reason."""
    return {"code": CODES[failed.failure][1], "request_id": request_id, "fields": dict(failed.fields)}


def data_of(failed: Failed) -> dict[str, object] | None:
    if failed.failure not in UNREADABLE:
        return None
    return {"abstention": abstention("unavailable", []).model_dump(mode="json")}


def _answered(answered: Answered) -> dict[str, object]:
    data = answered.data.model_dump(mode="json")
    told = data.get("abstention")
    return {"success": True, "message": told["sentence"] if told else "", "data": data, "error": None}


def _failed(failed: Failed, request_id: str) -> Reply:
    status, _code = CODES[failed.failure]
    headers = {"Retry-After": str(failed.retry_after)} if failed.retry_after else {}
    error = error_of(failed, request_id)
    body: dict[str, object] = {"success": False, "message": failure_text(failed), "data": data_of(failed)}
    return Reply(status, {**body, "error": error}, headers)


def _error(code: str, message: str, request_id: str) -> dict[str, object]:
    error = {"code": code, "request_id": request_id, "fields": {}}
    return {"success": False, "message": message, "data": None, "error": error}
