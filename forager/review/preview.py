"""What a ruling would change, before it is made: the rules of ``standing`` for one conflict's statements."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from forager.model.models import Conflict, ConflictMember, Export, KnowledgeBase, Served, Statement

LATELY = timedelta(days=30)
SETTLED = ("unresolved", "withheld", "stale")
"""What a statement is for reasons of its evidence, whatever is ruled."""
TURNS = ("superseded", "archived", "active", "disputed")


@dataclass(frozen=True, slots=True)
class Change:
    """The statements of the conflict that would turn into ``status``, those that are it already left out."""

    status: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    action: str
    side_id: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """Who holds what these statements say: packages and agents of the last 30 days, exports that are still kept."""

    packages: int
    agents: tuple[str, ...]
    exports: int


def previews(base: KnowledgeBase, conflict: Conflict) -> list[Preview]:
    """One for each ruling that can be made, and for taking the standing one back."""
    sides = {
        side.side_id: frozenset(m.item_id for m in side.members.all() if m.item_id) for side in conflict.sides.all()
    }
    known = _known(base, sides.values())
    elsewhere = _contested_elsewhere(base, conflict, known)
    if conflict.status == "open":
        asked = [("choose_side", side) for side in sides]
        asked += [(action, "") for action in ("both", "neither", "not_a_conflict", "needs_evidence")]
    else:
        asked = [("reopen", "")]
    contests = conflict.type != "duplicate_source" and conflict.certainty != "candidate"
    return [
        Preview(action, side, _changes(_ruled(action, side, sides, contests=contests), known, elsewhere))
        for action, side in asked
    ]


def reach(base: KnowledgeBase, conflict: Conflict) -> Reach:
    items = {m.item_id for side in conflict.sides.all() for m in side.members.all() if m.item_id}
    rows = Served.objects.filter(base=base, item_id__in=items, at__gte=timezone.now() - LATELY)
    agents = tuple(sorted(set(rows.values_list("agent", flat=True))))
    return Reach(rows.values("package_id").distinct().count(), agents, _exports(base, items))


def _exports(base: KnowledgeBase, items: Iterable[str]) -> int:
    """Files that hold one of these statements, by the revision they were made from."""
    spans = list(Statement.objects.filter(base=base, item_id__in=list(items)).values_list("rev_from", "rev_to"))
    made = Export.objects.filter(base=base, status="completed", expires_at__gt=timezone.now())
    views = [int(view.partition(":")[0]) for view in made.values_list("view_id", flat=True) if view]
    return sum(any(low <= view and (high is None or view < high) for low, high in spans) for view in views)


def _known(base: KnowledgeBase, sides: Iterable[frozenset[str]]) -> dict[str, Statement]:
    items = frozenset[str]().union(*sides)
    rows = Statement.objects.at(base.current_revision).filter(base=base, item_id__in=items)
    return {row.item_id: row for row in rows}


def _contested_elsewhere(base: KnowledgeBase, conflict: Conflict, known: Iterable[str]) -> frozenset[str]:
    others = Conflict.objects.at(base.current_revision).filter(base=base, status="open").exclude(pk=conflict.pk)
    contests = others.exclude(type="duplicate_source").exclude(certainty="candidate")
    rows = ConflictMember.objects.filter(side__conflict__in=contests, item_id__in=list(known))
    return frozenset(rows.values_list("item_id", flat=True))


def _ruled(action: str, side: str, sides: dict[str, frozenset[str]], *, contests: bool) -> dict[str, str]:
    every = frozenset[str]().union(*sides.values())
    if action == "choose_side":
        return {item: "active" if item in sides[side] else "superseded" for item in every}
    if action == "neither":
        return dict.fromkeys(every, "archived")
    if action in ("needs_evidence", "reopen"):
        return dict.fromkeys(every, "disputed" if contests else "active")
    return dict.fromkeys(every, "active")


def _changes(ruled: dict[str, str], known: dict[str, Statement], elsewhere: frozenset[str]) -> tuple[Change, ...]:
    turned: dict[str, list[str]] = {}
    for item, row in known.items():
        told = ruled[item]
        if row.status in SETTLED or row.review_status == "rejected":
            continue
        if told == "active" and item in elsewhere:
            told = "disputed"
        if told != row.status:
            turned.setdefault(told, []).append(item)
    return tuple(Change(status, tuple(sorted(turned[status]))) for status in TURNS if status in turned)
