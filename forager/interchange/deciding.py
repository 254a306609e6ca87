"""Rulings of a package beside those that stand here. One made later here is kept; each is known again by its origin."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from forager.interchange import forms
from forager.interchange.opening import Package
from forager.model.ids import stable_id
from forager.model.models import Decision, KnowledgeBase, Store
from forager.review import anchors, merging

STATES_TAKEN = ("standing", "orphaned", "reopened")


class What(StrEnum):
    ADD = "adds"
    UPDATE = "updates"
    SKIP = "skips"
    KEEP = "keeps"


@dataclass(frozen=True, slots=True)
class DecisionStep:
    """``anchor`` speaks of the documents of this base; ``record_id`` is the id the decision has or gets here."""

    decision: forms.DecisionRow
    what: What
    why: str
    record_id: str
    anchor: dict[str, Any] = field(default_factory=dict)


class Decisions:
    """Compares rulings of the package with those that stand here."""

    def __init__(self, base: KnowledgeBase, package: Package) -> None:
        self.base, self.package = base, package
        self.documents = {row["id"]: stable_id("doc", base.namespace, row["path"]) for row in package.documents}
        self.origins = {row["record_id"]: row for row in package.origins if row["kind"] == "decision"}
        self.own_instance = Store.objects.values_list("instance_id", flat=True).first()
        self.here = set(Decision.objects.filter(base=base).values_list("pk", flat=True))
        standing = list(Decision.objects.filter(base=base, kind="ruling", state__in=("standing", "orphaned")))
        self.index = anchors.Index(standing)
        self.names = merging.decisions(base)

    def steps(self) -> Iterator[DecisionStep]:
        for row in self.package.decisions:
            if row["state"] not in STATES_TAKEN:
                continue
            record_id = self._record_id(row)
            if record_id in self.here:
                yield DecisionStep(row, What.SKIP, "It is here already.", record_id)
                continue
            anchor = self._anchor(row)
            newer = self._newer(row, anchor)
            if newer is not None:
                yield DecisionStep(row, What.KEEP, f"{newer.actor} decided later here.", record_id)
            else:
                yield DecisionStep(row, What.ADD, "", record_id, anchor)

    def _record_id(self, row: forms.DecisionRow) -> str:
        """Made from where it was first made, so that it is known again whatever way it comes back."""
        instance, origin = self.package.instance_id, row["id"]
        if first := self.origins.get(row["id"]):
            instance, origin = first["instance_id"], first["origin_id"]
        if instance == self.own_instance and origin in self.here:
            return origin
        return stable_id("dec", self.base.namespace, instance, origin)

    def _anchor(self, row: forms.DecisionRow) -> dict[str, Any]:
        if row["kind"] != "ruling":
            return {side: row["anchor"][side] for side in ("a", "b")}
        sides = [
            {"value": s["value"], "evidence": [[self.documents.get(d, d), excerpt] for d, excerpt in s["evidence"]]}
            for s in row["anchor"]["sides"]
        ]
        return {"type": row["anchor"]["type"], "attribute_key": row["anchor"]["attribute_key"], "sides": sides}

    def _newer(self, row: forms.DecisionRow, anchor: dict[str, Any]) -> Decision | None:
        if row["kind"] == "ruling":
            found = self.index.find([anchors.keys(side) for side in anchor["sides"]])
        else:
            a, b = set(row["anchor"]["a"]), set(row["anchor"]["b"])
            mine = [d for d in self.names if _same_names(d, a, b)]
            found = mine[-1] if mine else None
        return found if found is not None and found.decided_at > decided_at(row) else None


def decided_at(row: forms.DecisionRow) -> datetime:
    return datetime.fromisoformat(row["decided_at"]).astimezone(UTC)


def _same_names(decision: Decision, a: set[str], b: set[str]) -> bool:
    left, right = set(decision.anchor["a"]), set(decision.anchor["b"])
    return bool((left & a and right & b) or (left & b and right & a))
