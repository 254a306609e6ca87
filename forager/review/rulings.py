"""Recording people's rulings on conflicts, and taking them back. One transaction each, one event a conflict."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from forager.model.ids import random_id
from forager.model.models import Conflict, ConflictSide, Decision, KnowledgeBase, ReviewEvent
from forager.review import anchors, looks, views
from forager.review.refusal import RulingRefused

__all__ = ["Asked", "Outcome", "Ruling", "RulingRefused", "reopen", "resolve", "resolve_each", "winner_id"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """``actor_key`` says who it is, also when two people share a name."""

    action: str
    actor: str
    expected_digest: str
    side_id: str = ""
    discriminator: dict[str, str] | None = None
    assignee: str = ""
    notes: str = ""
    actor_key: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One conflict of a list and the ruling on it."""

    conflict_id: str
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one: ``recorded``, ``awaiting`` a second look, or ``refused`` with the reason."""

    conflict_id: str
    outcome: str
    message: str = ""
    decision_id: str = ""


def resolve(conflict_id: str, ruling: Ruling) -> Outcome:
    """Records the ruling and applies it at once. Raises ``RulingRefused`` when what was read is not what stands."""
    with transaction.atomic():
        base, conflict = _locked(conflict_id)
        before, outcome = snapshot(conflict), _record(base, conflict, ruling)
        if outcome.outcome == "recorded":
            _applied(base, conflict, before, (ruling.action, ruling.actor, ruling.notes))
        return outcome


def resolve_each(base_id: str, asked: Sequence[Asked]) -> list[Outcome]:
    """Each of exactly these, in their order, as if ruled alone; one that is refused keeps none of the others back."""
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base_id)
        outcomes, done = [], []
        for each in asked:
            try:
                base, conflict = _locked(each.conflict_id, base_id)
                before, outcome = snapshot(conflict), _record(base, conflict, each.ruling)
            except RulingRefused as error:
                outcomes.append(Outcome(each.conflict_id, "refused", str(error)))
                continue
            outcomes.append(outcome)
            if outcome.outcome == "recorded":
                done.append((base, conflict, before, each.ruling))
        if done:
            evidence = {key for _base, conflict, _before, _ruling in done for key in _evidence(conflict)}
            views.moved(done[0][0], cause=done[0][1].conflict_id, evidence=evidence)
        for base, conflict, before, ruling in done:
            conflict.refresh_from_db()
            _event(base, conflict, before, ruling.action, ruling.actor, ruling.notes)
        return outcomes


def reopen(conflict_id: str, *, actor: str, notes: str, expected_decision: str = "") -> Conflict:
    """Takes the standing rulings on the conflict back; what stood before stands again.

    ``expected_decision`` binds it to the ruling that was read: another one made meanwhile is not taken back unseen.
    """
    with transaction.atomic():
        base, conflict = _locked(conflict_id)
        if not conflict.decision_id:
            raise RulingRefused("This conflict has no ruling to take back.")
        if expected_decision and expected_decision != conflict.decision_id:
            raise RulingRefused(f"{_who_ruled(conflict)} Nothing was taken back.".strip())
        before = snapshot(conflict)
        sides = [anchors.evidence_of(s) for s in conflict.sides.all()]
        mine = [d for d in Decision.objects.filter(base=base, state="standing") if anchors.find([d], sides)]
        Decision.objects.filter(pk__in=[d.pk for d in mine]).update(state="reopened")
        ruled = {key for d in mine for side in d.anchor["sides"] for key in anchors.keys(side)}
        return _applied(base, conflict, before, ("reopen", actor, notes), ruled)


def snapshot(conflict: Conflict) -> dict[str, object]:
    decision = Decision.objects.filter(pk=conflict.decision_id).first()
    if decision is None:
        return {"status": conflict.status}
    return {"status": conflict.status, "action": decision.action, "winner": winner_id(conflict, decision)}


def winner_id(conflict: Conflict, decision: Decision) -> str | None:
    sides = list(conflict.sides.all())
    at = anchors.side_for(decision, [anchors.evidence_of(s) for s in sides])
    return None if at is None else sides[at].side_id


def _locked(conflict_id: str, base_id: str = "") -> tuple[KnowledgeBase, Conflict]:
    conflict = Conflict.objects.filter(conflict_id=conflict_id).order_by("-rev_from").select_related("base").first()
    if conflict is None or (base_id and conflict.base_id != base_id):
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


def _record(base: KnowledgeBase, conflict: Conflict, ruling: Ruling) -> Outcome:
    _check_still_as_read(conflict, ruling)
    _check_complete(ruling)
    sides = list(conflict.sides.all())
    winner = _winner(sides, ruling)
    made = Decision(
        id=random_id("dec"),
        base=base,
        kind="ruling",
        action=ruling.action,
        anchor=anchors.anchor_of(conflict),
        winner=winner,
        discriminator=ruling.discriminator,
        assignee=ruling.assignee,
        notes=ruling.notes,
        actor=ruling.actor,
        actor_key=ruling.actor_key,
        read_digest=ruling.expected_digest,
        as_suggested=_as_suggested(conflict, ruling),
        decided_at=timezone.now(),
        target_id=conflict.conflict_id,
    )
    look = looks.look(base, made)
    made.save()
    if look.stands:
        return Outcome(conflict.conflict_id, "recorded", decision_id=made.pk)
    _event(base, conflict, snapshot(conflict), look.action, ruling.actor, look.notes)
    return Outcome(conflict.conflict_id, look.outcome, look.message)


def _as_suggested(conflict: Conflict, ruling: Ruling) -> bool | None:
    if not conflict.suggestion or ruling.action != "choose_side":
        return None
    return bool(conflict.suggestion["winner"] == ruling.side_id)


def _check_still_as_read(conflict: Conflict, ruling: Ruling) -> None:
    if conflict.status not in ("open", "moot"):
        raise RulingRefused(
            f"This conflict was ruled on in between. {_who_ruled(conflict)} Nothing was recorded.".replace("  ", " ")
        )
    if conflict.digest != ruling.expected_digest:
        raise RulingRefused("The sides changed after they were read. Nothing was recorded.")
    if conflict.status == "moot":
        raise RulingRefused("A side of this conflict is withheld now; there is nothing to rule on.")


def _who_ruled(conflict: Conflict) -> str:
    decision = Decision.objects.filter(pk=conflict.decision_id).first()
    return f"{decision.actor} recorded {decision.action} at {decision.decided_at:%H:%M} UTC." if decision else ""


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
    base: KnowledgeBase,
    conflict: Conflict,
    before: dict[str, object],
    said: tuple[str, str, str],
    ruled: frozenset[anchors.EvidenceKey] | set[anchors.EvidenceKey] = frozenset(),
) -> Conflict:
    """``said`` is the action, who and why; ``ruled`` the evidence of rulings that stand no more."""
    views.moved(base, cause=conflict.conflict_id, evidence=_evidence(conflict) | ruled)
    conflict.refresh_from_db()
    _event(base, conflict, before, *said)
    return conflict


def _evidence(conflict: Conflict) -> set[anchors.EvidenceKey]:
    return {key for side in conflict.sides.all() for key in anchors.evidence_of(side)}


def _event(
    base: KnowledgeBase, conflict: Conflict, before: dict[str, object], action: str, actor: str, notes: str
) -> None:
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
