"""What the sources themselves suggest about a conflict. A suggestion with its reason; nothing is applied."""

from collections.abc import Callable

from forager.resolution.conflicts import FoundConflict, FoundSide


def suggest(conflict: FoundConflict) -> tuple[int, str] | None:
    """(index of the side, why), by the strongest reason the sources give, or None when they give none."""
    return (
        _only(
            conflict, lambda s: any(m.origin.authoritative for m in s.members), "Only this side has a governing source"
        )
        or _announced_change(conflict)
        or _dated(conflict)
    )


def _only(conflict: FoundConflict, holds: Callable[[FoundSide], bool], reason: str) -> tuple[int, str] | None:
    hits = [at for at, side in enumerate(conflict.sides) if holds(side)]
    return (hits[0], reason) if len(hits) == 1 else None


def _announced_change(conflict: FoundConflict) -> tuple[int, str] | None:
    """“has moved to …” on one side only, and no other side dated later."""
    found = _only(
        conflict, lambda s: any(m.claim.change for m in s.members), "This side says that the value was changed"
    )
    if found is None:
        return None
    dates = [_latest(side) for side in conflict.sides]
    own = dates[found[0]]
    if own and all(other <= own for other in dates):
        dated = sum(bool(d) for d in dates)
        because = "comes from the only dated source" if dated == 1 else "is the newest by document date"
        return found[0], f"{found[1]} and {because} ({own})"
    return found if not any(dates) else None


def _dated(conflict: FoundConflict) -> tuple[int, str] | None:
    dates = [_latest(side) for side in conflict.sides]
    newest = max(dates)
    if not newest or dates.count(newest) > 1:
        return None
    at = dates.index(newest)
    if sum(bool(d) for d in dates) == 1:
        return at, f"Only this statement comes from a dated source ({newest})"
    return at, f"This side is newer by document date ({newest})"


def _latest(side: FoundSide) -> str:
    return max((m.origin.date for m in side.members), default="")
