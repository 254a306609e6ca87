"""The blind second look: where a base asks for it, a ruling counts when a second person came to the same alone.

What the first said stays unseen until the second has spoken; the trail tells only that somebody looked.
"""

from dataclasses import dataclass

from forager.model.models import Decision, KnowledgeBase
from forager.review.refusal import RulingRefused

AWAITING, SECONDED, PARTED = "awaiting", "seconded", "parted"
UNSEEN = (AWAITING,)
"""States of which nobody is told what was decided."""


@dataclass(frozen=True, slots=True)
class Look:
    """``stands`` when the ruling takes effect; else what is told, and the event that is kept."""

    stands: bool
    outcome: str = ""
    action: str = ""
    message: str = ""
    notes: str = ""


def look(base: KnowledgeBase, made: Decision) -> Look:
    """Sets the state of ``made``, not saved yet, and of the look it follows. The same person twice is refused."""
    if not base.second_look or made.action == "needs_evidence":
        return Look(stands=True)
    first = waiting(base, made.target_id, made.read_digest)
    if first is None:
        made.state = AWAITING
        return Look(False, AWAITING, "first_look", "Kept unseen until a second person has looked.")
    if _same_person(first, made):
        raise RulingRefused("You gave the first look. A second person must give the other; nothing was recorded.")
    if _choice(first) == _choice(made):
        _set(first, SECONDED)
        made.first_look = first.pk
        return Look(stands=True)
    _set(first, PARTED)
    made.state = PARTED
    said = f"{first.actor} said {first.action}, {made.actor} said {made.action}"
    return Look(False, PARTED, "looks_parted", f"The two looks differ ({said}). Nothing was settled.", said)


def waiting(base: KnowledgeBase, conflict_id: str, digest: str) -> Decision | None:
    """The first look that waits for its second, made on these very sides."""
    rows = Decision.objects.filter(base=base, target_id=conflict_id, state=AWAITING, read_digest=digest)
    return rows.order_by("decided_at", "id").first()


def _set(first: Decision, state: str) -> None:
    first.state = state
    first.save(update_fields=["state"])


def _same_person(first: Decision, made: Decision) -> bool:
    if first.actor_key and made.actor_key:
        return first.actor_key == made.actor_key
    return first.actor == made.actor


def _choice(decision: Decision) -> tuple[str, int | None, str, str]:
    apart = decision.discriminator or {}
    return decision.action, decision.winner, apart.get("kind", ""), apart.get("value", "").casefold().strip()
