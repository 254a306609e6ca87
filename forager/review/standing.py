"""How every conflict and statement stands, derived anew from evidence, lifecycles and rulings. One place sets it."""

from collections.abc import Sequence

from forager.model.models import Conflict, ConflictMember, Decision, Entity, KnowledgeBase, Mention, Statement
from forager.review import anchors, risk, statuses
from forager.review.statuses import Part

STATUS_OF_ACTION = {
    "choose_side": "resolved",
    "both": "resolved",
    "neither": "resolved",
    "merge": "resolved",
    "not_a_conflict": "dismissed",
    "needs_evidence": "open",
}
BATCH = 400
SETTLED = (
    *("status", "assignee", "decision_id", "ruled_at"),
    *("uncertainty", "source_count", "opened_day", "served"),
)


def apply(base: KnowledgeBase) -> None:
    """Sets the status of every conflict and statement visible at the base's current revision, and its counters.

    Runs inside the transaction that publishes or rules, so no reader sees half of it.
    """
    standing = _standing(base)
    rows = Conflict.objects.at(base.current_revision).filter(base=base).prefetch_related("sides__members")
    applied = _settle(base, list(rows), anchors.Index(standing))
    _keep_footing(base, standing, applied)
    statuses.derive(Part(base), standing)
    _entities(base)
    base.open_conflict_count = _open(base)
    told = Statement.objects.at(base.current_revision).filter(base=base).exclude(status="withheld")
    base.knowledge_count = told.count()
    base.save(update_fields=["open_conflict_count", "knowledge_count", "entity_count"])


def apply_to(base: KnowledgeBase, evidence: set[anchors.EvidenceKey]) -> None:
    """As ``apply``, but only what rulings made on this evidence can reach, so that one costs the same in a large base.

    Rulings change neither what is withheld nor which names stand, so the other counters hold.
    """
    standing = _standing(base)
    index = anchors.Index(standing)
    rows = _resting_on(base, evidence)
    reached = evidence | {key for row in rows for side in row.sides.all() for key in anchors.evidence_of(side)}
    _settle(base, rows, index)
    members = {m.item_id for row in rows for side in row.sides.all() for m in side.members.all() if m.item_id}
    part = Part(base, frozenset(members | statuses.items_on(base, reached)))
    theirs = set(part.evidence().values_list("source__document_id", "excerpt_hash"))
    statuses.derive(part, index.touching(theirs | reached))
    base.open_conflict_count = _open(base)
    base.save(update_fields=["open_conflict_count"])


def _standing(base: KnowledgeBase) -> list[Decision]:
    """The rulings that count, oldest first."""
    made = Decision.objects.filter(base=base, kind="ruling", state__in=("standing", "orphaned"))
    return list(made.order_by("decided_at", "id"))


def _open(base: KnowledgeBase) -> int:
    return Conflict.objects.at(base.current_revision).filter(base=base, status="open").count()


def _resting_on(base: KnowledgeBase, evidence: set[anchors.EvidenceKey]) -> list[Conflict]:
    """The conflicts with a side on any of this evidence."""
    hashes = sorted({excerpt for _, excerpt in evidence})
    found: set[int] = set()
    for at in range(0, len(hashes), BATCH):
        members = ConflictMember.objects.filter(excerpt_hash__in=hashes[at : at + BATCH], side__conflict__base=base)
        for conflict, document, excerpt in members.values_list("side__conflict_id", "document_id", "excerpt_hash"):
            if (document, excerpt) in evidence:
                found.add(conflict)
    rows = Conflict.objects.at(base.current_revision).filter(pk__in=found)
    return list(rows.prefetch_related("sides__members"))


def _settle(base: KnowledgeBase, rows: Sequence[Conflict], index: anchors.Index) -> set[str]:
    """Sets how these conflicts stand; answers the ids of the rulings that decide one of them."""
    applied: set[str] = set()
    silent = statuses.silent_documents(base)
    weigh = risk.weigher(base, rows)
    changed: list[Conflict] = []
    for conflict in rows:
        decision = index.find([anchors.evidence_of(s) for s in conflict.sides.all()])
        applied.update([decision.pk] if decision else [])
        status = STATUS_OF_ACTION[decision.action] if decision else "open"
        if silent and _lost_a_side(conflict, silent):
            status = "moot"
        values: dict[str, object] = {
            "status": status,
            "assignee": decision.assignee if decision else "",
            "decision_id": decision.pk if decision else "",
            "ruled_at": decision.decided_at if decision else None,
            **weigh(conflict),
        }
        if any(getattr(conflict, name) != value for name, value in values.items()):
            for name, value in values.items():
                setattr(conflict, name, value)
            changed.append(conflict)
    Conflict.objects.bulk_update(changed, SETTLED, batch_size=BATCH)
    return applied


def _keep_footing(base: KnowledgeBase, standing: Sequence[Decision], applied: set[str]) -> None:
    """A ruling that finds nothing it was made about is orphaned, and stands again when that returns."""
    for decision in standing:
        state = "standing" if decision.pk in applied or _rests(base, decision) else "orphaned"
        if state != decision.state:
            decision.state = state
            decision.save(update_fields=["state"])


def _lost_a_side(conflict: Conflict, silent: frozenset[str]) -> bool:
    sides = [any(m.document_id not in silent for m in side.members.all()) for side in conflict.sides.all()]
    return sum(sides) < 2


def _rests(base: KnowledgeBase, decision: Decision) -> bool:
    """Whether anything the ruling was made about is still said."""
    return any(statuses.items_on(base, anchors.keys(side)) for side in decision.anchor["sides"])


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
