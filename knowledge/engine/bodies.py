"""What a person decided, as the engine takes it."""

from knowledge.provider import Decision, Naming


def decision_body(decision: Decision) -> dict[str, object]:
    body: dict[str, object] = {
        "action": decision.action,
        "actor": decision.actor,
        "notes": decision.notes,
        "expected_digest": decision.expected_digest,
    }
    if decision.side_id:
        body["side_id"] = decision.side_id
    if decision.assignee:
        body["assignee"] = decision.assignee
    if decision.discriminator_kind:
        body["discriminator"] = {"kind": decision.discriminator_kind, "value": decision.discriminator_value}
    return body


def naming_body(naming: Naming) -> dict[str, object]:
    return {"actor": naming.actor, "notes": naming.notes}
