"""Which claims speak of the same thing: equal attribute keys, or enough shared words, and nothing that parts them.

Candidates come from an inverted index over (type, own stem), so the cost follows the matches, not all pairs.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from forager.extraction.model import Claim
from forager.resolution.placed import Placed

CONTEXT_WEIGHT = 0.75
LIMITS = {"polarity:permission": (0.62, 0.40), "polarity:obligation": (0.62, 0.40), "polarity:assertion": (0.85, 0.60)}
LIMITS |= dict.fromkeys(
    ("polarity:activation", "polarity:approval", "polarity:completion", "polarity:support"), (0.75, 0.5)
)
LIMITS |= dict.fromkeys(("email", "url", "phone", "host"), (0.45, 0.20))
DEFAULT_LIMITS = (0.55, 0.30)
SAME_SOURCE_LIMITS = (0.90, 0.70)
MIN_SHARED_ASSERTION = 2
ROW_COVERED = 0.8
COMMON_STEM = 200
"""A stem borne by more claims of one type than this proposes no pairs by itself."""
KEY_ONLY = ("text", "name")
EVENTS = (
    "=start",
    "=end",
    "=opens",
    "=closes",
    "=signed",
    "=due",
    "=launch",
    "=delivery",
    "=move",
    "=meeting",
    "=born",
    "=founded",
)


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two claims about one thing, and how surely (1.0 is an equal attribute key)."""

    a: Placed
    b: Placed
    score: float
    reason: str


@dataclass(slots=True)
class Work:
    """What a pass did, for the record."""

    pairs: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def align(claims: Sequence[Placed], work: Work) -> Iterator[Aligned]:
    """All aligned pairs, each once, in a fixed order."""
    weights = _weights(claims)
    for a, b in _candidates(claims, work):
        work.pairs += 1
        if parted := _parted(a, b):
            work.skipped[parted] += 1
            continue
        score, reason = _score(a, b, weights)
        if score:
            yield Aligned(a, b, score, reason)


def _weights(claims: Sequence[Placed]) -> dict[str, float]:
    """Rarer words weigh more; in a tiny base the shared words must not be punished, so df counts from 2."""
    spans: dict[tuple[str, tuple[int, int]], set[str]] = defaultdict(set)
    for placed in claims:
        spans[placed.origin.source_id, placed.span].update(placed.claim.own)
    df = Counter(s for own in spans.values() for s in own)
    return {s: math.log(1 + (len(spans) + 2) / max(n, 2)) for s, n in df.items()}


def _index(claims: Sequence[Placed]) -> dict[tuple[str, str], list[int]]:
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, placed in enumerate(claims):
        if placed.key:
            index[placed.claim.type, f"key:{placed.key}"].append(at)
        if placed.claim.type not in KEY_ONLY:
            for stem in placed.claim.own:
                index[placed.claim.type, stem].append(at)
    return index


def _candidates(claims: Sequence[Placed], work: Work) -> Iterator[tuple[Placed, Placed]]:
    seen: set[tuple[int, int]] = set()
    for (_, stem), members in sorted(_index(claims).items()):
        if len(members) > COMMON_STEM and not stem.startswith("key:"):
            work.skipped["a word too common to compare by"] += len(members)
            continue
        for i, first in enumerate(members):
            seen.update(
                (first, second) for second in members[i + 1 :] if claims[first].item_id != claims[second].item_id
            )
    for first, second in sorted(seen):
        yield claims[first], claims[second]


def _parted(a: Placed, b: Placed) -> str:
    """Why two claims cannot be about one thing, or ''."""
    left, right = _families(a.claim), _families(b.claim)
    for family in left.keys() & right.keys():
        if left[family].isdisjoint(right[family]):
            return f"another {family}"
    if ("weekday" in left) != ("weekday" in right) and not _one_key(a, b):
        return "a rule for one weekday only"
    events_a, events_b = _events(a.claim), _events(b.claim)
    if events_a and events_b and events_a.isdisjoint(events_b):
        return "another event"
    return ""


def _families(claim: Claim) -> dict[str, set[str]]:
    families: dict[str, set[str]] = defaultdict(set)
    for qualifier in claim.qualifiers:
        family, _, value = qualifier.partition(":")
        families[family].add(value)
    return families


def _events(claim: Claim) -> set[str]:
    return {s for s in claim.own if s in EVENTS}


def _one_key(a: Placed, b: Placed) -> bool:
    return bool(a.key) and a.key == b.key


def _score(a: Placed, b: Placed, weights: dict[str, float]) -> tuple[float, str]:
    if _one_key(a, b):
        return 1.0, f"both state {a.key.replace('|', ' | ')}"
    if a.claim.type in KEY_ONLY:
        return 0.0, ""
    if a.claim.row or b.claim.row:
        return _cells(a.claim, b.claim, weights)
    if a.claim.type == "polarity:assertion" and len(set(a.claim.own) & set(b.claim.own)) < MIN_SHARED_ASSERTION:
        return 0.0, ""
    left, right = _coverage(a.claim, b.claim, weights), _coverage(b.claim, a.claim, weights)
    same_source = a.origin.source_id == b.origin.source_id
    high, low = SAME_SOURCE_LIMITS if same_source else LIMITS.get(a.claim.type, DEFAULT_LIMITS)
    if max(left, right) < high or min(left, right) < low:
        return 0.0, ""
    shared = sorted(s.strip("=#") for s in set(a.claim.own) & set(b.claim.own))
    return (left + right) / 2, f"both speak of {', '.join(shared)}"


def _coverage(a: Claim, b: Claim, weights: dict[str, float]) -> float:
    """The share of ``a``'s own weight that ``b`` says too; what only its surroundings say counts less."""
    own, context = set(b.own), set(b.context)
    total = sum(weights[s] for s in a.own)
    met = sum(weights[s] * (1.0 if s in own else CONTEXT_WEIGHT if s in context else 0.0) for s in a.own)
    return met / total if total else 0.0


def _cells(a: Claim, b: Claim, weights: dict[str, float]) -> tuple[float, str]:
    """Cell against cell: same row name and head. Cell against sentence: head met and the row's name covered."""
    if a.row and b.row:
        same = set(a.row) == set(b.row) and set(a.head) == set(b.head)
        return (0.95, "the same row and column of two tables") if same else (0.0, "")
    cell, prose = (a, b) if a.row else (b, a)
    said = set(prose.own) | set(prose.context)
    if not set(cell.head) & said:
        return 0.0, ""
    total = sum(weights.get(s, 1.0) for s in cell.row)
    met = sum(weights.get(s, 1.0) for s in cell.row if s in said)
    covered = met / total if total else 0.0
    return (covered * 0.9, "a table cell and a sentence about its row") if covered >= ROW_COVERED else (0.0, "")
