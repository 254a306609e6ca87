"""``retrieval-capstone-v1``: a packet on its way to a tool, and what its consumer then made of it.

Delivered, admitted and cited are three records. A consumer that fails changes nothing of the packet or its admission.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from knowledge.contract.admission import Admission
from knowledge.contract.model import Packet, canonical, digest_of
from knowledge.contract.wire import packet_to_json

CAPSTONE = "retrieval-capstone-v1"


class Consumed(StrEnum):
    ANSWERED = "answered"
    CONSUMER_UNAVAILABLE = "consumer_unavailable"
    CONSUMER_FAILED = "consumer_failed"
    MALFORMED = "malformed"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class ConsumerOutcome:
    """``raw`` is kept as it came. ``grounded`` is False for an answer that was given without admitted evidence."""

    execution_id: str
    prompt_digest: str
    outcome: Consumed
    raw: str
    grounded: bool


def outcome_of(admission: Admission, outcome: Consumed, raw: str) -> ConsumerOutcome:
    """What became of a prompt. An answer without evidence is never a grounded one."""
    grounded = outcome is Consumed.ANSWERED and bool(admission.admitted)
    return ConsumerOutcome(admission.execution_id, admission.prompt_digest, outcome, raw, grounded)


def envelope(packet: Packet, admission: Admission, *, collection: str) -> bytes:
    """The packet with the collection's name, the view it was admitted at and what is returned, as canonical JSON."""
    returned: dict[str, Any] = {
        "status": admission.status.value,
        "prompt_digest": admission.prompt_digest,
        "rows": [
            {
                "statement_id": each.row.statement_id,
                "evidence_id": each.row.evidence_id,
                "source_id": each.row.source_id,
                "text": each.text,
            }
            for each in admission.admitted
        ],
        "left_out": [{"statement_id": each.row.statement_id, "why": each.public} for each in admission.excluded],
    }
    told = {
        "schema": CAPSTONE,
        "collection": collection,
        "snapshot": admission.view_id,
        "packet_digest": digest_of(packet_to_json(packet).decode()),
        "returned": returned,
    }
    return canonical({**told, "trace_id": digest_of(told)})
