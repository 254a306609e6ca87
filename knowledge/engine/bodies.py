"""What a person decided, as the engine takes it."""

from collections.abc import Sequence

from knowledge.provider import BulkItem, Decision, Naming


def decision_body(decision: Decision) -> dict[str, object]:
    body: dict[str, object] = {
        "action": decision.action,
        "actor": decision.actor,
        "notes": decision.notes,
        "expected_digest": decision.expected_digest,
    }
    if decision.side_id:
        body["side_id"] = decision.side_id
    return body | _said(decision)


def bulk_body(items: Sequence[BulkItem], decision: Decision) -> dict[str, object]:
    """One ruling for each of these; every item brings its own digest, and its side where one is chosen."""
    listed = [
        {"conflict_id": one.conflict_id, "expected_digest": one.expected_digest}
        | ({"side_id": one.side_id} if one.side_id else {})
        for one in items
    ]
    body: dict[str, object] = {
        "items": listed,
        "action": decision.action,
        **ruled_by(decision.actor, decision.notes),
    }
    return body | _said(decision)


def ruled_by(actor: str, notes: str) -> dict[str, object]:
    return {"actor": actor, "notes": notes}


def _said(decision: Decision) -> dict[str, object]:
    body: dict[str, object] = {}
    if decision.actor_key:
        body["actor_key"] = decision.actor_key
    if decision.assignee:
        body["assignee"] = decision.assignee
    if decision.discriminator_kind:
        body["discriminator"] = {"kind": decision.discriminator_kind, "value": decision.discriminator_value}
    return body


def naming_body(naming: Naming) -> dict[str, object]:
    return {"actor": naming.actor, "notes": naming.notes}
