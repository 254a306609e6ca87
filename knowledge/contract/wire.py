"""A packet as canonical JSON and back. What this version does not know is refused, never skipped."""

import json
import math
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from knowledge.contract.model import (
    SCHEMA,
    Category,
    ContractError,
    Execution,
    Packet,
    Request,
    canonical,
)

_REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
_EXECUTION: TypeAdapter[Execution] = TypeAdapter(Execution)
FIELDS = frozenset(("schema", "query_id", "request_id", "execution_id", "request", "execution"))


def packet_to_json(packet: Packet) -> bytes:
    return canonical(
        {
            "schema": SCHEMA,
            "query_id": packet.request.query_id,
            "request_id": packet.request.request_id,
            "execution_id": packet.execution_id,
            "request": asdict(packet.request),
            "execution": asdict(packet.execution),
        }
    )


def packet_from_json(body: bytes) -> Packet:
    """Raises ``ContractError`` for another version, an unknown field, a number that is none, or ids that do not fit."""
    told = _object(body)
    if told.get("schema") != SCHEMA:
        raise ContractError(Category.UNSUPPORTED_SCHEMA, f"Only {SCHEMA} is understood.")
    if set(told) != FIELDS:
        odd = ", ".join(sorted(set(told) ^ FIELDS))
        raise ContractError(Category.INVALID_INPUT, f"Fields that are missing or not known: {odd}.")
    try:
        packet = Packet(_REQUEST.validate_python(told["request"]), _EXECUTION.validate_python(told["execution"]))
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ContractError(Category.INVALID_INPUT, f"Not of the agreed shape at {where or 'its root'}.") from error
    ids = {"query_id": packet.request.query_id, "request_id": packet.request.request_id}
    for name, right in {**ids, "execution_id": packet.execution_id}.items():
        if told[name] != right:
            raise ContractError(Category.INVALID_INPUT, f"{name} is not that of what the packet holds.")
    return packet


def _object(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body, parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise ContractError(Category.INVALID_INPUT, "This is no JSON object of the contract.") from error
    if not isinstance(told, dict):
        raise ContractError(Category.INVALID_INPUT, "This is no JSON object of the contract.")
    return told


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of the contract")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a field stands twice")
    if any(isinstance(value, float) and not math.isfinite(value) for value in told.values()):
        raise ValueError("a number without end")
    return told
