"""The lifecycle of a document: which step may follow which, who may take it, and the reasons it may have.

proposed → approved → active ⇄ degraded, active ⇄ suspended, any of these → revoked, active → retiring → deleted. Beyond
the plan: degraded may be suspended, and what is suspended or revoked may be retired, or it could never be deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass

STATES = ("proposed", "approved", "active", "degraded", "suspended", "revoked", "retiring", "deleted")
SPEAKS = ("approved", "active", "degraded")
"""Documents whose words count; an approved one becomes active with the revision that first holds it."""
OFF = ("proposed", "suspended", "revoked", "deleted")
"""Documents in no agent's or reader's answer, count or conflict."""


@dataclass(frozen=True, slots=True)
class Step:
    """``by``: who may take it; the engine takes its own without asking."""

    to: str
    reasons: tuple[str, ...]
    by: tuple[str, ...] = ("person",)


_REVOKE = Step("revoked", ("withdrawn_by_owner", "permission_lost", "wrong_content", "poisoned"))
_SUSPEND = Step(
    "suspended", ("under_review", "permission_mismatch", "wrong_content", "poisoning_signal"), ("person", "engine")
)
_DEGRADE = Step("degraded", ("stale", "schema_change", "connector_lag", "quality"), ("person", "engine"))
_RETIRE = Step("retiring", ("superseded", "no_longer_needed", "retention_over"))

STEPS: Mapping[str, tuple[Step, ...]] = {
    "proposed": (Step("approved", ("checked",)), _REVOKE),
    "approved": (Step("active", ("published",), ("engine",)), _SUSPEND, _REVOKE),
    "active": (_DEGRADE, _SUSPEND, _RETIRE, _REVOKE),
    "degraded": (Step("active", ("caught_up", "checked"), ("person", "engine")), _SUSPEND, _REVOKE),
    "suspended": (Step("active", ("cleared", "suspended_by_mistake")), _RETIRE, _REVOKE),
    "revoked": (_RETIRE,),
    "retiring": (Step("deleted", ("retention_over", "owner_request", "legal")),),
    "deleted": (),
}


def step(now: str, to: str, by: str = "person") -> Step | None:
    """The permitted step, None when there is none for them."""
    return next((s for s in STEPS[now] if s.to == to and by in s.by), None)


def steps_for(now: str, by: str = "person") -> tuple[Step, ...]:
    return tuple(s for s in STEPS[now] if by in s.by)
