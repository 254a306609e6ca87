"""One way to call a tool, whoever serves it: rate, permission, arguments, scope, budget, answer, record. In order."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, replace

from pydantic import ValidationError

from knowledge.callers import CallRecord
from knowledge.engine.origin import asking_for
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.scope import KnowledgeScope, Unresolved
from knowledge.tools.arguments import Arguments
from knowledge.tools.seat import AgentCaller, Answered, Ask
from knowledge.tools.table import Tool


def call_tool(
    tool: Tool,
    caller: AgentCaller,
    given: Mapping[str, object] | Failed,
    *,
    request_id: str,
    as_words: bool = False,
) -> Outcome[Answered]:
    """``given`` is a failure where no arguments could be read; ``as_words``: they came as text, in a query string.

    Every call is counted and recorded, refused or not.
    """
    began = time.monotonic()
    with asking_for(request_id):
        outcome = _answer(tool, caller, given, request_id, as_words=as_words)
        elapsed_ms = int((time.monotonic() - began) * 1000)
        caller.record(_recorded(tool, given, outcome, request_id=request_id, elapsed_ms=elapsed_ms))
    return outcome


def _recorded(
    tool: Tool,
    given: Mapping[str, object] | Failed,
    outcome: Outcome[Answered],
    *,
    request_id: str,
    elapsed_ms: int,
) -> CallRecord:
    answered = None if isinstance(outcome, Failed) else outcome.value
    return CallRecord(
        tool=tool.name,
        query_digest=_digest(given),
        served_ids=answered.served if answered else (),
        failure=outcome.failure if isinstance(outcome, Failed) else None,
        elapsed_ms=elapsed_ms,
        request_id=request_id,
        candidates=answered.candidates if answered else 0,
        dropped=answered.dropped if answered else 0,
        abstained=answered.abstained if answered else "",
        package=answered.package if answered else "",
    )


def _answer(
    tool: Tool, caller: AgentCaller, given: Mapping[str, object] | Failed, request_id: str, *, as_words: bool
) -> Outcome[Answered]:
    wait = caller.wait_seconds()
    if wait:
        return Failed(Failure.RATE_LIMITED, "The token made more calls in a minute than it may.", retry_after=wait)
    if tool.permission not in caller.permissions:
        return Failed(Failure.FORBIDDEN, f"The token does not hold {tool.permission}.")
    arguments = _arguments(tool, given, as_words=as_words)
    if isinstance(arguments, Failed):
        return arguments
    scope = caller.scope
    if isinstance(scope, Unresolved):
        return Failed(Failure.SCOPE_UNRESOLVED, scope.reason)
    mission = caller.work.charge_call() if tool.is_charged else ""
    if isinstance(mission, Failed):
        return mission
    ask = Ask(caller.provider, scope, caller.min_support, caller.limits, caller.packages, caller.work)
    outcome = tool.run(ask, arguments)
    if not _still(caller.scope, scope):  # bound anew while it was read: nothing of the old base leaves
        return Failed(Failure.SCOPE_UNRESOLVED, "The project was bound to another base during the call.")
    if isinstance(outcome, Failed):
        return outcome
    spent = _charged(caller, mission, outcome.value)
    return spent if spent is not None else Ok(_kept(caller, outcome.value, request_id))


def _still(now: KnowledgeScope | Unresolved, then: KnowledgeScope) -> bool:
    """The same base under the same name; a mission that was claimed or ended meanwhile only narrows or widens it."""
    return isinstance(now, KnowledgeScope) and (now.base_id, now.slug) == (then.base_id, then.slug)


def _charged(caller: AgentCaller, mission: str, answered: Answered) -> Failed | None:
    """What would go beyond the budget leaves in no part and is frozen nowhere: the agent may ask for less."""
    if not mission:
        return None
    size = len(answered.data.model_dump_json().encode("utf-8", "surrogatepass"))
    return caller.work.charge_answer(mission, facts=len(answered.served), size=size)


def _kept(caller: AgentCaller, answered: Answered, request_id: str) -> Answered:
    """Frozen before it leaves; a question without an answer is noted."""
    if answered.unanswered is not None:
        caller.note_gap(answered.unanswered)
    if answered.sheet is None:
        return answered
    receipt = caller.packages.freeze(answered.sheet, request_id)
    data = answered.data.model_copy(update=asdict(receipt))
    return replace(answered, data=data, package=receipt.package)


def _arguments(tool: Tool, given: Mapping[str, object] | Failed, *, as_words: bool) -> Arguments | Failed:
    if isinstance(given, Failed):
        return given
    try:
        if as_words:
            return tool.arguments.model_validate_strings(dict(given))
        return tool.arguments.model_validate(dict(given), strict=True)
    except ValidationError as error:
        fields = tuple((_place(each["loc"]), each["msg"]) for each in error.errors(include_input=False))
        return Failed(Failure.INVALID, "The arguments are not those of the tool.", fields=fields)


def _place(location: tuple[int | str, ...]) -> str:
    """Where it is wrong; a name that was made up is not said again at any length."""
    return ".".join(str(part) for part in location)[:80] or "body"


def _digest(given: Mapping[str, object] | Failed) -> str:
    if isinstance(given, Failed):
        return ""
    told = json.dumps(given, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()
