"""Fits a context into its length by leaving out whole units, from the tail. Nothing is ever cut in the middle."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from knowledge.context.compose import Cut
from knowledge.context.model import KnowledgeContext

type Unit = frozenset[str]
type Compose = Callable[[Cut], KnowledgeContext]
type Measure = Callable[[KnowledgeContext], int]


def units_of(ordered: Sequence[str], ties: Iterable[Sequence[str]]) -> list[Unit]:
    """Statements that belong together, in the order of their first one. ``ties`` are ids that stand or go together."""
    root = {key: key for key in ordered}
    for tie in ties:
        present = [key for key in tie if key in root]
        for key in present[1:]:
            root[_top(root, key)] = _top(root, present[0])
    units: dict[str, set[str]] = {}
    for key in ordered:
        units.setdefault(_top(root, key), set()).add(key)
    return [frozenset(unit) for unit in units.values()]


def _top(root: Mapping[str, str], key: str) -> str:
    while root[key] != key:
        key = root[key]
    return key


def fit(units: Sequence[Unit], conflicts: Sequence[str], compose: Compose, measure: Measure, limit: int) -> Cut:
    """What to leave out so that the context measures at most ``limit``.

    Units that could not fit even alone go first, then units from the tail, then, when the conflict entries alone
    are too long, those from the tail. What remains at the very least is the header.
    """
    everything = frozenset().union(*units)
    bare = Cut(everything)
    cut_conflicts: list[str] = []
    while conflicts[: len(conflicts) - len(cut_conflicts)] and measure(compose(bare)) > limit:
        cut_conflicts.insert(0, conflicts[len(conflicts) - len(cut_conflicts) - 1])
        bare = Cut(everything, frozenset(cut_conflicts))
    kept = [unit for unit in units if measure(compose(Cut(everything - unit, bare.conflicts))) <= limit]
    while kept and measure(compose(_without(everything, kept, bare))) > limit:
        kept.pop()
    return _without(everything, kept, bare)


def _without(everything: Unit, kept: Sequence[Unit], bare: Cut) -> Cut:
    return Cut(everything - frozenset().union(*kept), bare.conflicts)
