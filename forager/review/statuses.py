"""What became of each statement, from evidence, lifecycles, open conflicts and rulings: of a base or a part of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from forager.model.models import Conflict, ConflictMember, Decision, Document, Evidence, KnowledgeBase, Statement
from forager.model.states import OFF, SPEAKS
from forager.review import anchors

BATCH = 400


@dataclass(frozen=True, slots=True)
class Part:
    """The statements to derive: these alone, or with ``items`` None all that the base's current revision shows."""

    base: KnowledgeBase
    items: frozenset[str] | None = None

    def statements(self) -> QuerySet[Statement]:
        rows = Statement.objects.at(self.base.current_revision).filter(base=self.base)
        return rows if self.items is None else rows.filter(item_id__in=self.items)

    def evidence(self) -> QuerySet[Evidence]:
        rows = Evidence.objects.at(self.base.current_revision).filter(base=self.base)
        return rows if self.items is None else rows.filter(item_id__in=self.items)


def derive(part: Part, standing: Sequence[Decision]) -> None:
    """``standing`` are the rulings that count, oldest first; those that touch none of the part may be left out."""
    visible = part.statements()
    visible.exclude(status="active", superseded_by="").update(status="active", superseded_by="")
    _mark(visible, _disputed(part), "disputed")
    silent = silent_documents(part.base)
    for decision in standing:
        if not _winner_is_silent(decision, silent):
            _ruled(part.base, visible, decision)
    _mark(visible, _only_in_old_versions(part), "superseded")
    visible.filter(review_status="rejected").update(status="archived")
    _mark(visible, _only_from(part, ("degraded",)), "stale")
    _mark(visible, _only_from(part, ("retiring",)), "archived")
    _mark(visible, _missing(part), "unresolved")
    _mark(visible, _only_from(part, OFF), "withheld")


def items_on(base: KnowledgeBase, evidence: set[anchors.EvidenceKey]) -> set[str]:
    """The visible statements that rest on any of these excerpts."""
    hashes = sorted({excerpt for _, excerpt in evidence})
    found: set[str] = set()
    for at in range(0, len(hashes), BATCH):
        rows = Evidence.objects.at(base.current_revision).filter(base=base, excerpt_hash__in=hashes[at : at + BATCH])
        for item, document, excerpt in rows.values_list("item_id", "source__document_id", "excerpt_hash"):
            if (document, excerpt) in evidence:
                found.add(item)
    return found


def silent_documents(base: KnowledgeBase) -> frozenset[str]:
    """Documents whose words do not count now."""
    return frozenset(Document.objects.filter(base=base).exclude(state__in=SPEAKS).values_list("pk", flat=True))


def _mark(visible: QuerySet[Statement], items: Iterable[str], status: str, successor: str = "") -> None:
    listed = sorted(items)
    for at in range(0, len(listed), BATCH):
        visible.filter(item_id__in=listed[at : at + BATCH]).update(status=status, superseded_by=successor)


def _disputed(part: Part) -> set[str]:
    contested = Conflict.objects.at(part.base.current_revision).filter(base=part.base, status="open")
    members = ConflictMember.objects.filter(
        side__conflict__in=contested.exclude(type="duplicate_source").exclude(certainty="candidate")
    )
    if part.items is not None:
        members = members.filter(item_id__in=part.items)
    return set(members.exclude(item_id="").values_list("item_id", flat=True))


def _ruled(base: KnowledgeBase, visible: QuerySet[Statement], decision: Decision) -> None:
    """A chosen side supersedes the others; “neither” archives them all."""
    sides = [items_on(base, anchors.keys(side)) for side in decision.anchor["sides"]]
    if decision.action == "neither":
        _mark(visible, set().union(*sides), "archived")
    if decision.action == "choose_side" and decision.winner is not None:
        winners = sides[decision.winner]
        losers = set().union(*sides) - winners
        _mark(visible, losers, "superseded", min(winners, default=""))


def _winner_is_silent(decision: Decision, silent: frozenset[str]) -> bool:
    """A ruling for a side that no document tells any more holds nobody down; it counts again with its documents."""
    if decision.winner is None or not silent:
        return False
    return all(document in silent for document, _ in anchors.keys(decision.anchor["sides"][decision.winner]))


def _only_in_old_versions(part: Part) -> set[str]:
    old = set(part.evidence().exclude(source__superseded_by="").values_list("item_id", flat=True))
    current = part.evidence().filter(source__superseded_by="", item_id__in=old)
    return old - set(current.values_list("item_id", flat=True)) if old else set()


def _missing(part: Part) -> set[str]:
    missing = set(part.evidence().filter(missing_excerpt=True).values_list("item_id", flat=True))
    there = part.evidence().filter(missing_excerpt=False, item_id__in=missing)
    return missing - set(there.values_list("item_id", flat=True)) if missing else set()


def _only_from(part: Part, these: tuple[str, ...]) -> set[str]:
    """Statements that rest on documents of these states and on no others."""
    if not Document.objects.filter(base=part.base, state__in=these).exists():
        return set()
    mine = set(part.evidence().filter(source__document__state__in=these).values_list("item_id", flat=True))
    others = part.evidence().exclude(source__document__state__in=these).filter(item_id__in=mine)
    return mine - set(others.values_list("item_id", flat=True))
