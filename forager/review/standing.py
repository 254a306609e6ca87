"""What became of each statement, derived anew from evidence, lifecycles, conflicts and rulings. One place sets it."""

from collections.abc import Iterable

from django.db.models import QuerySet

from forager.model.models import Conflict, ConflictMember, Decision, Document, Evidence, KnowledgeBase, Statement
from forager.review import anchors

STATUS_OF_ACTION = {
    "choose_side": "resolved",
    "both": "resolved",
    "neither": "resolved",
    "merge": "resolved",
    "not_a_conflict": "dismissed",
    "needs_evidence": "open",
}
OFF = ("suspended", "revoked", "deleted")
BATCH = 400


def apply(base: KnowledgeBase) -> None:
    """Sets the status of every conflict and statement visible at the base's current revision, and its counters.

    Runs inside the transaction that publishes or rules, so no reader sees half of it.
    """
    made = Decision.objects.filter(base=base, kind="ruling", state__in=("standing", "orphaned"))
    standing = list(made.order_by("decided_at", "id"))
    _conflicts(base, standing)
    _statements(base, standing)
    base.open_conflict_count = Conflict.objects.at(base.current_revision).filter(base=base, status="open").count()
    base.save(update_fields=["open_conflict_count"])


def _conflicts(base: KnowledgeBase, standing: list[Decision]) -> None:
    applied: set[str] = set()
    rows = Conflict.objects.at(base.current_revision).filter(base=base).prefetch_related("sides__members")
    for conflict in rows:
        decision = anchors.find(standing, [anchors.evidence_of(s) for s in conflict.sides.all()])
        applied.update([decision.pk] if decision else [])
        status = STATUS_OF_ACTION[decision.action] if decision else "open"
        assignee = decision.assignee if decision else ""
        decision_id = decision.pk if decision else ""
        if (conflict.status, conflict.assignee, conflict.decision_id) != (status, assignee, decision_id):
            conflict.status, conflict.assignee, conflict.decision_id = status, assignee, decision_id
            conflict.save(update_fields=["status", "assignee", "decision_id"])
    for decision in standing:
        state = "standing" if decision.pk in applied or _rests(base, decision) else "orphaned"
        if state != decision.state:
            decision.state = state
            decision.save(update_fields=["state"])


def _rests(base: KnowledgeBase, decision: Decision) -> bool:
    """Whether anything the ruling was made about is still said."""
    return any(_items(base, anchors.keys(side)) for side in decision.anchor["sides"])


def _statements(base: KnowledgeBase, standing: list[Decision]) -> None:
    visible = Statement.objects.at(base.current_revision).filter(base=base)
    visible.exclude(status="active", superseded_by="").update(status="active", superseded_by="")
    _mark(visible, _disputed(base), "disputed")
    for decision in standing:
        _ruled(base, visible, decision)
    _mark(visible, _only_in_old_versions(base), "superseded")
    visible.filter(review_status="rejected").update(status="archived")
    _mark(visible, _missing(base), "unresolved")
    _mark(visible, _withheld(base), "withheld")


def _mark(visible: QuerySet[Statement], items: Iterable[str], status: str, successor: str = "") -> None:
    listed = sorted(items)
    for at in range(0, len(listed), BATCH):
        visible.filter(item_id__in=listed[at : at + BATCH]).update(status=status, superseded_by=successor)


def _disputed(base: KnowledgeBase) -> set[str]:
    contested = Conflict.objects.at(base.current_revision).filter(base=base, status="open")
    members = ConflictMember.objects.filter(
        side__conflict__in=contested.exclude(type="duplicate_source").exclude(certainty="candidate")
    )
    return set(members.exclude(item_id="").values_list("item_id", flat=True))


def _ruled(base: KnowledgeBase, visible: QuerySet[Statement], decision: Decision) -> None:
    """A chosen side supersedes the others; “neither” archives them all."""
    sides = [_items(base, anchors.keys(side)) for side in decision.anchor["sides"]]
    if decision.action == "neither":
        _mark(visible, set().union(*sides), "archived")
    if decision.action == "choose_side" and decision.winner is not None:
        winners = sides[decision.winner]
        losers = set().union(*sides) - winners
        _mark(visible, losers, "superseded", min(winners, default=""))


def _items(base: KnowledgeBase, evidence: set[anchors.EvidenceKey]) -> set[str]:
    """The visible statements that rest on any of these excerpts."""
    hashes = [excerpt for _, excerpt in evidence]
    rows = Evidence.objects.at(base.current_revision).filter(base=base, excerpt_hash__in=hashes)
    found = rows.values_list("item_id", "source__document_id", "excerpt_hash")
    return {item for item, document, excerpt in found if (document, excerpt) in evidence}


def _visible_evidence(base: KnowledgeBase) -> QuerySet[Evidence]:
    return Evidence.objects.at(base.current_revision).filter(base=base)


def _only_in_old_versions(base: KnowledgeBase) -> set[str]:
    old = set(_visible_evidence(base).exclude(source__superseded_by="").values_list("item_id", flat=True))
    current = _visible_evidence(base).filter(source__superseded_by="", item_id__in=old)
    return old - set(current.values_list("item_id", flat=True)) if old else set()


def _missing(base: KnowledgeBase) -> set[str]:
    missing = set(_visible_evidence(base).filter(missing_excerpt=True).values_list("item_id", flat=True))
    there = _visible_evidence(base).filter(missing_excerpt=False, item_id__in=missing)
    return missing - set(there.values_list("item_id", flat=True)) if missing else set()


def _withheld(base: KnowledgeBase) -> set[str]:
    if not Document.objects.filter(base=base, state__in=OFF).exists():
        return set()
    off = set(_visible_evidence(base).filter(source__document__state__in=OFF).values_list("item_id", flat=True))
    on = _visible_evidence(base).exclude(source__document__state__in=OFF).filter(item_id__in=off)
    return off - set(on.values_list("item_id", flat=True))
