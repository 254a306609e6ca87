"""Outcomes as results of MCP: words for a model, data for a program, and a refusal that instructs."""

import json
import re
from typing import Any

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from knowledge.api.envelope import data_of, error_of
from knowledge.failures import Failed, Failure, Ok, Outcome, failure_text
from knowledge.tools import Answered
from knowledge.tools.shapes import Kept

UNSEEN = re.compile(
    "[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u2028\u2029]"
)
"""Characters that hide words or turn their direction; a model reads their escapes."""
ASKER_S_OWN = frozenset((Failure.NOT_FOUND, Failure.EVIDENCE_UNAVAILABLE, Failure.INVALID))


def result_of(outcome: Outcome[Answered], request_id: str) -> CallToolResult:
    if isinstance(outcome, Ok):
        data = outcome.value.data.model_dump(mode="json")
        content = [TextContent(text=outcome.value.text or words(data)), *_receipt(outcome.value)]
        return CallToolResult(content=list(content), structured_content=data)
    error = error_of(outcome, request_id)
    text = "\n".join([failure_text(outcome), *_hints(outcome), f"Code: {error['code']}. Request id: {request_id}."])
    told = {"error": error, "data": data_of(outcome)}
    return CallToolResult(content=[TextContent(text=text)], structured_content=told, is_error=True)


def error_from(failed: Failed, request_id: str) -> MCPError:
    """For what is not a tool: resources are there or an error of the protocol; an id is never said again."""
    code = INVALID_PARAMS if failed.failure in ASKER_S_OWN else INTERNAL_ERROR
    return MCPError(code, failure_text(failed), error_of(failed, request_id))


def words(data: Any) -> str:
    """JSON on one line, readable, with what cannot be seen escaped."""
    told = json.dumps(data, ensure_ascii=False)
    return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", told)


def _receipt(answered: Answered) -> list[TextContent]:
    """Beside the frozen bytes, for a reader of words alone: what they are kept as."""
    data = answered.data
    if not isinstance(data, Kept) or not answered.text:
        return []
    return [TextContent(text=f"Package: {data.package}. Admitted at: {data.admitted_at}.")]


def _hints(failed: Failed) -> list[str]:
    hints = [f"{name}: {message}" for name, message in failed.fields]
    if failed.retry_after:
        hints.append(f"Ask again after {failed.retry_after} seconds.")
    return hints
