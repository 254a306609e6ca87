"""What people decided about names: two are one, two are not one. Anchored on the names, so it outlives every run.

A decision takes effect on the entities with the next run; the candidate it was made on shows it at once. The latest
decision about a pair of names counts, and taking one back lets the one before it count again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from forager.extraction import lexicon
from forager.model.ids import digest, random_id
from forager.model.models import Alias, Decision, Entity, KnowledgeBase, MergeCandidate, ReviewEvent
from forager.resolution.entities import Decided
from forager.review.refusal import RulingRefused

KIND = "entities"
MERGE, APART = "merge", "keep_apart"
STATUS = {MERGE: "accepted", APART: "rejected"}
STANDS = ("standing", "orphaned")


@dataclass(frozen=True, slots=True)
class Who:
    """The person who decides, and why."""

    actor: str
    notes: str = ""


def decisions(base: KnowledgeBase) -> list[Decision]:
    """Those that count, oldest first."""
    rows = Decision.objects.filter(base=base, kind=KIND, state__in=STANDS)
    return list(rows.order_by("decided_at", "id"))


def decided(base: KnowledgeBase, stated: Sequence[tuple[str, str]] = ()) -> Decided:
    """The decisions as the resolution takes them: of each pair of names the latest; ``stated`` come after."""
    joined: dict[frozenset[str], tuple[str, str, str]] = {}
    apart: set[frozenset[str]] = set()
    for decision in decisions(base):
        left, right = decision.anchor["a"], decision.anchor["b"]
        pairs = {frozenset((x, y)) for x in left for y in right if x != y}
        joined = {pair: row for pair, row in joined.items() if pair not in pairs}
        if decision.action == MERGE:
            apart -= pairs
            joined[frozenset((left[0], right[0]))] = (left[0], right[0], f"joined by {decision.actor}")
        else:
            apart |= pairs
    said = tuple((lexicon.fold(a), lexicon.fold(b)) for a, b in stated)
    return Decided(tuple(joined.values()), frozenset(apart), said)


def settle(base: KnowledgeBase, names: frozenset[str]) -> None:
    """A decision about names that nothing carries any more is orphaned, never dropped; it counts when they return."""
    for decision in decisions(base):
        rests = all(names.intersection(decision.anchor[side]) for side in ("a", "b"))
        state = "standing" if rests else "orphaned"
        if state != decision.state:
            decision.state = state
            decision.save(update_fields=["state"])


def apply(base: KnowledgeBase) -> None:
    """Sets the status of every candidate visible at the base's current revision from the decisions that stand."""
    made = decisions(base)
    for row in MergeCandidate.objects.at(base.current_revision).filter(base=base):
        decision = _latest(made, row.names)
        status, decision_id = (STATUS[decision.action], decision.pk) if decision else ("open", "")
        if (row.status, row.decision_id) != (status, decision_id):
            row.status, row.decision_id = status, decision_id
            row.save(update_fields=["status", "decision_id"])


def _latest(made: Sequence[Decision], names: dict[str, list[str]]) -> Decision | None:
    left, right = set(names["a"]), set(names["b"])
    hits = [d for d in made if _is_about(d, left, right) or _is_about(d, right, left)]
    return hits[-1] if hits else None


def _is_about(decision: Decision, left: set[str], right: set[str]) -> bool:
    return bool(left.intersection(decision.anchor["a"])) and bool(right.intersection(decision.anchor["b"]))


def digest_of(row: MergeCandidate) -> str:
    """Of what a person read: both entities' names, the reason, and what was decided so far."""
    return digest(row.content_hash, row.status, row.decision_id)


def decide(candidate_id: str, action: str, who: Who, *, expected_digest: str) -> None:
    """Accepts or rejects a candidate, bound to what was read."""
    with transaction.atomic():
        base, row = _candidate(candidate_id)
        if digest_of(row) != expected_digest:
            raise RulingRefused(_moved(row))
        _record(base, action, row.names["a"], row.names["b"], who, target=candidate_id)
        before = {"status": row.status}
        after = {"status": STATUS[action], "names": [row.names["a"][0], row.names["b"][0]]}
        _applied(base, candidate_id, action, before, after, who)


def _moved(row: MergeCandidate) -> str:
    decision = Decision.objects.filter(pk=row.decision_id).first()
    if decision is None:
        return "The names changed after they were read. Nothing was recorded."
    said = "that they are one" if decision.action == MERGE else "that they are two"
    return f"{decision.actor} decided {said} at {decision.decided_at:%H:%M} UTC. Nothing was recorded."


def merge(base_id: str, entity_id: str, other_id: str, who: Who) -> None:
    """Joins two entities that no rule proposed."""
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=base_id)
        if entity_id == other_id:
            raise RulingRefused("An entity cannot be joined with itself.", "other_id")
        left, right = names_of(base, entity_id), names_of(base, other_id)
        if not left or not right:
            raise RulingRefused("There is no such entity in this knowledge base.", "other_id")
        _record(base, MERGE, left, right, who, target=entity_id)
        before = {"entities": [left[0], right[0]]}
        _applied(base, entity_id, MERGE, before, {"one": [left[0], right[0]]}, who)


def unmerge(base_id: str, entity_id: str, alias: str, who: Who) -> None:
    """Takes a name out again: a person's joining is taken back, one that a rule made is overruled."""
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=base_id)
        folded, names = lexicon.fold(alias), names_of(base, entity_id)
        if folded not in names or len(names) == 1:
            raise RulingRefused("That is not another name of this entity which can be taken out.", "alias")
        mine = [d for d in decisions(base) if d.action == MERGE and _joined(d, folded, names)]
        if mine:
            Decision.objects.filter(pk__in=[d.pk for d in mine]).update(state="reopened")
        else:
            _record(base, APART, [folded], [n for n in names if n != folded], who, target=entity_id)
        after = {"apart": [folded, *(n for n in names if n != folded)]}
        _applied(base, entity_id, "unmerge", {"one": names}, after, who)


def _joined(decision: Decision, name: str, names: Iterable[str]) -> bool:
    """Whether the decision is what holds the name in the entity of these names."""
    ends = {decision.anchor["a"][0], decision.anchor["b"][0]}
    return name in ends and ends <= set(names)


def names_of(base: KnowledgeBase, entity_id: str) -> list[str]:
    """The names of its own an entity goes by at the current revision, folded, the main one first."""
    entity = Entity.objects.at(base.current_revision).filter(base=base, entity_id=entity_id).first()
    if entity is None:
        return []
    aliases = Alias.objects.at(base.current_revision).filter(base=base, entity_id=entity_id, separable=True)
    main = lexicon.fold(entity.canonical_name)
    return [main, *sorted(set(aliases.values_list("folded", flat=True)) - {main})]


def _candidate(candidate_id: str) -> tuple[KnowledgeBase, MergeCandidate]:
    found = MergeCandidate.objects.filter(candidate_id=candidate_id).order_by("-rev_from").first()
    if found is None:
        raise RulingRefused("There is no such candidate.")
    base = KnowledgeBase.objects.select_for_update().get(pk=found.base_id)
    row = MergeCandidate.objects.at(base.current_revision).filter(base=base, candidate_id=candidate_id).first()
    if row is None:
        raise RulingRefused("These two are no longer proposed: their names changed or they are one already.")
    return base, row


def _record(base: KnowledgeBase, action: str, left: list[str], right: list[str], who: Who, *, target: str) -> None:
    Decision.objects.create(
        id=random_id("dec"),
        base=base,
        kind=KIND,
        action=action,
        anchor={"a": left, "b": right},
        notes=who.notes,
        actor=who.actor,
        decided_at=timezone.now(),
        target_id=target,
    )


def _applied(
    base: KnowledgeBase, target: str, action: str, before: Mapping[str, object], after: Mapping[str, object], who: Who
) -> None:
    KnowledgeBase.objects.filter(pk=base.pk).update(state_epoch=F("state_epoch") + 1)
    apply(base)
    ReviewEvent.objects.create(
        id=random_id("rve"),
        base=base,
        target_id=target,
        action=action,
        before=dict(before),
        after=dict(after),
        actor=who.actor,
        notes=who.notes,
        at=timezone.now(),
    )
