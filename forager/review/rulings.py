"""Recording a person's ruling on a conflict, and taking it back. One transaction each, one event each."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from forager.model.ids import random_id
from forager.model.models import Conflict, ConflictSide, Decision, KnowledgeBase, ReviewEvent
from forager.review import anchors, views


class RulingRefused(Exception):
    """The ruling cannot be recorded; ``field`` says what is wrong with it, empty when the state moved."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Ruling:
    action: str
    actor: str
    expected_digest: str
    side_id: str = ""
    discriminator: dict[str, str] | None = None
    assignee: str = ""
    notes: str = ""


def resolve(conflict_id: str, ruling: Ruling) -> Conflict:
    """Records the ruling and applies it at once. Raises ``RulingRefused`` when what was read is not what stands."""
    with transaction.atomic():
        base, conflict = _locked(conflict_id)
        _check_still_as_read(conflict, ruling)
        _check_complete(ruling)
        before = snapshot(conflict)
        sides = list(conflict.sides.all())
        Decision.objects.create(
            id=random_id("dec"),
            base=base,
            kind="ruling",
            action=ruling.action,
            anchor=anchors.anchor_of(conflict),
            winner=_winner(sides, ruling),
            discriminator=ruling.discriminator,
            assignee=ruling.assignee,
            notes=ruling.notes,
            actor=ruling.actor,
            decided_at=timezone.now(),
            target_id=conflict_id,
        )
        return _applied(base, conflict, before, ruling.action, ruling.actor, ruling.notes)


def reopen(conflict_id: str, *, actor: str, notes: str) -> Conflict:
    """Takes the standing rulings on the conflict back; what stood before stands again."""
    with transaction.atomic():
        base, conflict = _locked(conflict_id)
        if not conflict.decision_id:
            raise RulingRefused("This conflict has no ruling to take back.")
        before = snapshot(conflict)
        sides = [anchors.evidence_of(s) for s in conflict.sides.all()]
        mine = [d for d in Decision.objects.filter(base=base, state="standing") if anchors.find([d], sides)]
        Decision.objects.filter(pk__in=[d.pk for d in mine]).update(state="reopened")
        return _applied(base, conflict, before, "reopen", actor, notes)


def snapshot(conflict: Conflict) -> dict[str, object]:
    decision = Decision.objects.filter(pk=conflict.decision_id).first()
    if decision is None:
        return {"status": conflict.status}
    return {"status": conflict.status, "action": decision.action, "winner": winner_id(conflict, decision)}


def winner_id(conflict: Conflict, decision: Decision) -> str | None:
    sides = list(conflict.sides.all())
    at = anchors.side_for(decision, [anchors.evidence_of(s) for s in sides])
    return None if at is None else sides[at].side_id


def _locked(conflict_id: str) -> tuple[KnowledgeBase, Conflict]:
    conflict = Conflict.objects.filter(conflict_id=conflict_id).order_by("-rev_from").select_related("base").first()
    if conflict is None:
        raise RulingRefused("There is no such conflict.")
    base = KnowledgeBase.objects.select_for_update().get(pk=conflict.base_id)
    current = (
        Conflict.objects.at(base.current_revision)
        .filter(base=base, conflict_id=conflict_id)
        .prefetch_related("sides__members")
        .first()
    )
    if current is None:
        raise RulingRefused("This conflict no longer stands: its sources changed.")
    return base, current


def _check_still_as_read(conflict: Conflict, ruling: Ruling) -> None:
    if conflict.digest != ruling.expected_digest:
        raise RulingRefused("The sides changed after they were read. Nothing was recorded.")
    if conflict.status == "moot":
        raise RulingRefused("A side of this conflict is withheld now; there is nothing to rule on.")
    if conflict.status != "open":
        decision = Decision.objects.filter(pk=conflict.decision_id).first()
        who = f" {decision.actor} recorded {decision.action} at {decision.decided_at:%H:%M} UTC." if decision else ""
        raise RulingRefused(f"This conflict was ruled on in between.{who} Nothing was recorded.")


def _check_complete(ruling: Ruling) -> None:
    if ruling.action == "both" and not ruling.discriminator:
        raise RulingRefused("Name what tells the sides apart: time, unit, place or entity.", "discriminator")
    if ruling.action == "needs_evidence" and not ruling.assignee.strip():
        raise RulingRefused("Name the person who is to find the evidence.", "assignee")


def _winner(sides: list[ConflictSide], ruling: Ruling) -> int | None:
    if ruling.action != "choose_side":
        return None
    at = next((at for at, side in enumerate(sides) if side.side_id == ruling.side_id), None)
    if at is None:
        raise RulingRefused("Choose one of the sides of this conflict.", "side_id")
    return at


def _applied(
    base: KnowledgeBase, conflict: Conflict, before: dict[str, object], action: str, actor: str, notes: str
) -> Conflict:
    views.moved(base, cause=conflict.conflict_id)
    conflict.refresh_from_db()
    ReviewEvent.objects.create(
        id=random_id("rve"),
        base=base,
        target_id=conflict.conflict_id,
        action=action,
        before=before,
        after=snapshot(conflict),
        actor=actor,
        notes=notes,
        at=timezone.now(),
    )
    return conflict
