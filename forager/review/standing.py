"""What became of each statement, derived anew from evidence, lifecycles, conflicts and rulings. One place sets it."""

from collections.abc import Iterable

from django.db.models import QuerySet

from forager.model.models import (
    Conflict,
    ConflictMember,
    Decision,
    Document,
    Entity,
    Evidence,
    KnowledgeBase,
    Mention,
    Statement,
)
from forager.model.states import OFF, SPEAKS
from forager.review import anchors, risk

STATUS_OF_ACTION = {
    "choose_side": "resolved",
    "both": "resolved",
    "neither": "resolved",
    "merge": "resolved",
    "not_a_conflict": "dismissed",
    "needs_evidence": "open",
}
BATCH = 400


def apply(base: KnowledgeBase) -> None:
    """Sets the status of every conflict and statement visible at the base's current revision, and its counters.

    Runs inside the transaction that publishes or rules, so no reader sees half of it.
    """
    made = Decision.objects.filter(base=base, kind="ruling", state__in=("standing", "orphaned"))
    standing = list(made.order_by("decided_at", "id"))
    _conflicts(base, standing)
    _statements(base, standing)
    _entities(base)
    base.open_conflict_count = Conflict.objects.at(base.current_revision).filter(base=base, status="open").count()
    told = Statement.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")
    base.knowledge_count = told.count()
    base.save(update_fields=["open_conflict_count", "knowledge_count", "entity_count"])


def _conflicts(base: KnowledgeBase, standing: list[Decision]) -> None:
    applied: set[str] = set()
    index = anchors.Index(standing)
    rows = Conflict.objects.at(base.current_revision).filter(base=base).prefetch_related("sides__members")
    silent = _silent(base)
    for conflict in rows:
        decision = index.find([anchors.evidence_of(s) for s in conflict.sides.all()])
        applied.update([decision.pk] if decision else [])
        status = STATUS_OF_ACTION[decision.action] if decision else "open"
        if silent and _lost_a_side(conflict, silent):
            status = "moot"
        _set(
            conflict,
            status=status,
            assignee=decision.assignee if decision else "",
            decision_id=decision.pk if decision else "",
            ruled_at=decision.decided_at if decision else None,
            **risk.weigh(base, conflict),
        )
    for decision in standing:
        state = "standing" if decision.pk in applied or _rests(base, decision) else "orphaned"
        if state != decision.state:
            decision.state = state
            decision.save(update_fields=["state"])


def _set(conflict: Conflict, **values: object) -> None:
    """Writes what differs, and nothing when all of it stands already."""
    changed = {name: value for name, value in values.items() if getattr(conflict, name) != value}
    for name, value in changed.items():
        setattr(conflict, name, value)
    if changed:
        conflict.save(update_fields=list(changed))


def _silent(base: KnowledgeBase) -> frozenset[str]:
    """Documents whose words do not count now."""
    return frozenset(Document.objects.filter(base=base).exclude(state__in=SPEAKS).values_list("pk", flat=True))


def _lost_a_side(conflict: Conflict, silent: frozenset[str]) -> bool:
    sides = [any(m.document_id not in silent for m in side.members.all()) for side in conflict.sides.all()]
    return sum(sides) < 2


def _rests(base: KnowledgeBase, decision: Decision) -> bool:
    """Whether anything the ruling was made about is still said."""
    return any(_items(base, anchors.keys(side)) for side in decision.anchor["sides"])


def _statements(base: KnowledgeBase, standing: list[Decision]) -> None:
    visible = Statement.objects.at(base.current_revision).filter(base=base)
    visible.exclude(status="active", superseded_by="").update(status="active", superseded_by="")
    _mark(visible, _disputed(base), "disputed")
    silent = _silent(base)
    for decision in standing:
        if not _winner_is_silent(decision, silent):
            _ruled(base, visible, decision)
    _mark(visible, _only_in_old_versions(base), "superseded")
    visible.filter(review_status="rejected").update(status="archived")
    _mark(visible, _only_from(base, ("degraded",)), "stale")
    _mark(visible, _only_from(base, ("retiring",)), "archived")
    _mark(visible, _missing(base), "unresolved")
    _mark(visible, _only_from(base, OFF), "withheld")


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


def _winner_is_silent(decision: Decision, silent: frozenset[str]) -> bool:
    """A ruling for a side that no document tells any more holds nobody down; it counts again with its documents."""
    if decision.winner is None or not silent:
        return False
    return all(document in silent for document, _ in anchors.keys(decision.anchor["sides"][decision.winner]))


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


def _only_from(base: KnowledgeBase, these: tuple[str, ...]) -> set[str]:
    """Statements that rest on documents of these states and on no others."""
    if not Document.objects.filter(base=base, state__in=these).exists():
        return set()
    mine = set(_visible_evidence(base).filter(source__document__state__in=these).values_list("item_id", flat=True))
    others = _visible_evidence(base).exclude(source__document__state__in=these).filter(item_id__in=mine)
    return mine - set(others.values_list("item_id", flat=True))


def _entities(base: KnowledgeBase) -> None:
    """An entity only withheld statements speak of is withheld with them."""
    rows = Entity.objects.at(base.current_revision).filter(base=base)
    withheld = Statement.objects.at(base.current_revision).filter(base=base, status="withheld")
    if not withheld.exists() and not rows.filter(status="withheld").exists():
        base.entity_count = rows.count()
        return
    mentions = Mention.objects.at(base.current_revision).filter(base=base)
    told = set(mentions.exclude(item_id__in=withheld.values("item_id")).values_list("entity_id", flat=True))
    hidden = [e.pk for e in rows.only("pk", "entity_id") if e.entity_id not in told]
    rows.filter(status="withheld").update(status="active")
    for at in range(0, len(hidden), BATCH):
        rows.filter(pk__in=hidden[at : at + BATCH]).update(status="withheld")
    base.entity_count = rows.count() - len(hidden)
