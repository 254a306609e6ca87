"""How a ruling finds its conflict again: by the documents and excerpts its sides rest on, not by derived ids."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypedDict

from forager.model.ids import stable_id
from forager.model.models import Conflict, ConflictSide, Decision

DUPLICATE = "duplicate_source"
type EvidenceKey = tuple[str, str]
"""(document id, excerpt hash)"""


class AnchorSide(TypedDict):
    value: str
    evidence: list[list[str]]


class Anchor(TypedDict):
    type: str
    attribute_key: str
    sides: list[AnchorSide]


def anchor_of(conflict: Conflict) -> Anchor:
    sides: list[AnchorSide] = [
        {"value": side.value, "evidence": sorted(list(k) for k in evidence_of(side))} for side in conflict.sides.all()
    ]
    return {"type": conflict.type, "attribute_key": conflict.attribute_key, "sides": sides}


def conflict_id(namespace: str, kind: str, key: str, values: Sequence[str]) -> str:
    """By what is said differently, so that it is the same conflict whenever it is found; of copies by their paths."""
    if kind == DUPLICATE:
        return stable_id("cf", namespace, kind, *values)
    return stable_id("cf", namespace, kind, key, list(values))


def evidence_of(side: ConflictSide) -> set[EvidenceKey]:
    return {(m.document_id, m.excerpt_hash) for m in side.members.all()}


def keys(side: AnchorSide) -> set[EvidenceKey]:
    return {(document, excerpt) for document, excerpt in side["evidence"]}


def find(decisions: Iterable[Decision], sides: Sequence[set[EvidenceKey]]) -> Decision | None:
    """The latest decision that was made about these very sides: each shares evidence with another of its sides."""
    matching = [d for d in decisions if _matches(d.anchor["sides"], sides)]
    return max(matching, key=lambda d: (d.decided_at, d.pk), default=None)


class Index:
    """Decisions by the evidence they rest on, so that each conflict is compared with those it may match alone."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._known: dict[EvidenceKey, list[Decision]] = defaultdict(list)
        for decision in decisions:
            for key in {key for side in decision.anchor["sides"] for key in keys(side)}:
                self._known[key].append(decision)

    def find(self, sides: Sequence[set[EvidenceKey]]) -> Decision | None:
        """As ``find`` among all of them."""
        return find(self._near(key for side in sides for key in side), sides)

    def touching(self, evidence: Iterable[EvidenceKey]) -> list[Decision]:
        """Those that rest on any of it, oldest first."""
        return sorted(self._near(evidence), key=lambda d: (d.decided_at, d.pk))

    def _near(self, evidence: Iterable[EvidenceKey]) -> Iterable[Decision]:
        return {d.pk: d for key in evidence for d in self._known.get(key, ())}.values()


def _matches(anchored: Sequence[AnchorSide], sides: Sequence[set[EvidenceKey]]) -> bool:
    if len(anchored) != len(sides):
        return False
    free = list(anchored)
    for side in sides:
        hit = next((a for a in free if keys(a) & side), None)
        if hit is None:
            return False
        free.remove(hit)
    return True


def side_for(decision: Decision, sides: Sequence[set[EvidenceKey]]) -> int | None:
    """Which of ``sides`` is the one the decision chose."""
    if decision.winner is None:
        return None
    chosen = keys(decision.anchor["sides"][decision.winner])
    return next((at for at, side in enumerate(sides) if side & chosen), None)
