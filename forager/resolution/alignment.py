"""Which claims speak of the same thing: equal attribute keys, or enough shared words, and nothing that parts them.

Candidates come from an inverted index over (type, own stem), so the cost follows the matches, not all pairs.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from forager.extraction.model import Claim
from forager.resolution.equality import STANCE, family
from forager.resolution.placed import Placed

CONTEXT_WEIGHT = 0.75
ASSERTION = "polarity:assertion"
LIMITS = {"polarity:permission": (0.62, 0.40), "polarity:obligation": (0.62, 0.40), "polarity:assertion": (0.85, 0.60)}
LIMITS |= dict.fromkeys(
    (
        f"polarity:{s}"
        for s in ("activation", "approval", "completion", "support", "inclusion", "presence", "taking_place")
    ),
    (0.75, 0.5),
)
LIMITS |= dict.fromkeys(("email", "url", "phone", "host"), (0.45, 0.20))
DEFAULT_LIMITS = (0.55, 0.30)
SAME_SOURCE_LIMITS = (0.90, 0.70)
WHOLE = 0.99
LIKELY_IN_ONE_SOURCE = 0.45
LIKELY = 0.26
"""From this mean coverage on, a pair is taken when each is the other's best match."""
MUCH_BETTER = 0.85
"""A sure pair still stands beside a better one of at most this advantage."""
ONE_SIDED = {
    "occasion": "one occasion only",
    "reading": "a reading, not a rule",
    "shift": "a shift, not a value",
}
"""Families that part two claims when only one of them has one."""
HEADED = {"environment", "stage", "year", "season", "tax"}
"""Families that part two claims by their headings alone."""
MIN_SHARED = 2
FEW_DAYS, MANY_DAYS = 2, 4
ROW_COVERED = 0.8
COMMON_STEM = 200
"""A stem borne by more claims of one type than this proposes no pairs by itself."""
CORRECTED = ("date", "time", "money", "quantity", "version", "code", "phone", "email", "url", "host")
BY_CONCEPT = "text"
"""A bare phrase is compared only where both sides name one known attribute and share a word of its subject."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two claims about one thing, and how surely (1.0 is an equal attribute key)."""

    a: Placed
    b: Placed
    score: float
    reason: str
    is_sure: bool


@dataclass(slots=True)
class Work:
    """What a pass did, for the record."""

    pairs: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def align(claims: Sequence[Placed], work: Work) -> Iterator[Aligned]:
    """All aligned pairs, each once, in a fixed order: the sure ones, and those that are each other's best match."""
    weights = weights_of(claims)
    pairs: list[Aligned] = []
    for a, b in _candidates(claims, work):
        work.pairs += 1
        if why := parted(a, b):
            work.skipped[why] += 1
        elif (pair := score(a, b, weights)) is not None:
            pairs.append(pair)
    yield from _well_matched(pairs)


def _well_matched(pairs: Sequence[Aligned]) -> Iterator[Aligned]:
    """Sure pairs that nothing in the two sources fits much better, likely ones that nothing fits better at all."""
    best: dict[tuple[int, str], float] = defaultdict(float)
    for pair in pairs:
        for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
            at = (id(one), other.origin.source_id)
            best[at] = max(best[at], pair.score)
    for pair in pairs:
        ends = ((pair.a, pair.b), (pair.b, pair.a))
        share = MUCH_BETTER if pair.is_sure else 1.0
        if pair.score >= 1 or all(best[id(one), other.origin.source_id] * share <= pair.score for one, other in ends):
            yield pair


def weights_of(claims: Sequence[Placed]) -> dict[str, float]:
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
            index[family(placed.claim), f"key:{placed.key}"].append(at)
        for stem in placed.claim.own:
            index[family(placed.claim), stem].append(at)
        if placed.claim.replaces:
            index[family(placed.claim), f"key:value:{placed.claim.replaces}"].append(at)
        elif placed.claim.type in CORRECTED:
            index[family(placed.claim), f"key:value:{placed.claim.value}"].append(at)
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


def parted(a: Placed, b: Placed) -> str:
    """Why two claims cannot be about one thing, or ''."""
    own_a, set_a = _families(a.claim)
    own_b, set_b = _families(b.claim)
    if reason := _other_days(own_a, own_b) or _other_days(own_a | set_a, own_b | set_b, both=True):
        return reason
    contrast = _clash(own_a, own_b) or _clash(own_a, set_b) or _clash(set_a, own_b) or _clash(set_a, set_b, HEADED)
    if contrast:
        return f"another {contrast}"
    if not _one_key(a, b):
        for one_sided, reason in ONE_SIDED.items():
            if (one_sided in own_a | set_a) != (one_sided in own_b | set_b):
                return reason
    if _other_subject(a, b):
        return "another subject"
    asked_a, asked_b = _concepts(a.claim), _concepts(b.claim)
    return "another attribute" if asked_a and asked_b and asked_a.isdisjoint(asked_b) and not _one_key(a, b) else ""


def _other_days(left: dict[str, set[str]], right: dict[str, set[str]], *, both: bool = False) -> str:
    """Other weekdays; or one or two days on one side only, which is an exception."""
    days_a, days_b = left.get("weekday", set()), right.get("weekday", set())
    if both and not (days_a and days_b):
        return ""
    if days_a and days_b:
        exception = min(len(days_a), len(days_b)) <= FEW_DAYS < MANY_DAYS <= max(len(days_a), len(days_b))
        return "another weekday" if days_a.isdisjoint(days_b) or exception else ""
    return "a rule for one weekday only" if 0 < len(days_a | days_b) <= FEW_DAYS else ""


def _other_subject(a: Placed, b: Placed) -> bool:
    """Both sentences name what they are about, and nothing of the one name stands in the other."""
    if not (a.key and b.key and {a.subject_origin, b.subject_origin} <= {"sentence", "table"}):
        return False
    left, right = (set(p.key.partition("|")[0].split("_")) for p in (a, b))
    return left.isdisjoint(right)


def _clash(left: dict[str, set[str]], right: dict[str, set[str]], among: set[str] | None = None) -> str:
    """The first family in which both say something and nothing in common."""
    shared = left.keys() & right.keys() & (among if among is not None else left.keys())
    return next((f for f in sorted(shared) if left[f].isdisjoint(right[f])), "")


def _families(claim: Claim) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Qualifiers by family: the sentence's own, and those of its headings where it has none of that family."""
    own: dict[str, set[str]] = defaultdict(set)
    setting: dict[str, set[str]] = defaultdict(set)
    for qualifier in claim.qualifiers:
        family, _, value = qualifier.removeprefix("@").partition(":")
        (setting if qualifier.startswith("@") else own)[family].add(value)
    return own, {family: values for family, values in setting.items() if family not in own}


def _concepts(claim: Claim) -> set[str]:
    """What is asked, where the vocabulary knows it: an owner is no contact, a start no end."""
    return {s for s in claim.own if s[0] == "="}


def _one_key(a: Placed, b: Placed) -> bool:
    return bool(a.key) and a.key == b.key


def score(a: Placed, b: Placed, weights: dict[str, float]) -> Aligned | None:
    """How surely two claims speak of one thing; None when they do not."""
    if _one_key(a, b):
        return Aligned(a, b, 1.0, f"both state {a.key.replace('|', ' | ')}", is_sure=True)
    if _corrects(a.claim, b.claim) or _corrects(b.claim, a.claim):
        return Aligned(a, b, 0.95, "a correction names the value that the other states", is_sure=True)
    if a.claim.row or b.claim.row:
        covered, reason = _cells(a.claim, b.claim, weights)
        if covered:
            return Aligned(a, b, covered, reason, is_sure=True)
        if (a.claim.row and b.claim.row) or not _head_is_met(a.claim, b.claim):
            return None
    shared = set(a.claim.own) & set(b.claim.own)
    return _by_words(a, b, shared, weights) if _may_meet(_kind(a.claim, b.claim), shared) else None


def _kind(a: Claim, b: Claim) -> str:
    """The type of both; two sides taken on different scales are held to what plain assertions are."""
    return a.type if a.type == b.type or family(a) != STANCE else ASSERTION


def _may_meet(kind: str, shared: set[str]) -> bool:
    """What two claims of a type must share at least, before their words are weighed."""
    concepts = {s for s in shared if s[0] == "="}
    if kind == ASSERTION:
        return len(shared) >= MIN_SHARED
    if kind == BY_CONCEPT:
        return bool(concepts) and bool(shared - concepts)
    return kind != "name" or bool(concepts) or len(shared) >= MIN_SHARED


def _by_words(a: Placed, b: Placed, shared: set[str], weights: dict[str, float]) -> Aligned | None:
    left, right = _coverage(a.claim, b.claim, weights), _coverage(b.claim, a.claim, weights)
    same_source = a.origin.source_id == b.origin.source_id
    kind = _kind(a.claim, b.claim)
    high, low = SAME_SOURCE_LIMITS if same_source else LIMITS.get(kind, DEFAULT_LIMITS)
    mean = (left + right) / 2
    reason = f"both speak of {', '.join(sorted(s.strip('=#') for s in shared))}"
    if max(left, right) >= high and min(left, right) >= low:
        return Aligned(a, b, mean, reason, is_sure=True)
    if kind == ASSERTION or mean < (LIKELY_IN_ONE_SOURCE if same_source else LIKELY):
        return None
    same_id = any(q.startswith("id:") for q in set(a.claim.qualifiers) & set(b.claim.qualifiers))
    whole = same_id or max(left, right) >= WHOLE
    return Aligned(a, b, mean, reason, is_sure=False) if whole or not same_source else None


def _corrects(correction: Claim, other: Claim) -> bool:
    """It names the other's value as the old one, and they share a word, their own or around them."""
    if not correction.replaces or correction.replaces != other.value or correction.unit != other.unit:
        return False
    return bool({*correction.own, *correction.context} & {*other.own, *other.context})


def _coverage(a: Claim, b: Claim, weights: dict[str, float]) -> float:
    """The share of ``a``'s own weight that ``b`` says too; what only its surroundings say counts less."""
    own, context = set(b.own), set(b.context)
    total = sum(weights[s] for s in a.own)
    met = sum(weights[s] * (1.0 if s in own else CONTEXT_WEIGHT if s in context else 0.0) for s in a.own)
    return met / total if total else 0.0


def _head_is_met(a: Claim, b: Claim) -> bool:
    """A sentence speaks of a cell only when it says a word of its head (or its concept) and one of its row's name."""
    cell, prose = (a, b) if a.row else (b, a)
    said = set(prose.own) | set(prose.context)
    return bool(set(cell.head) & said) and bool(set(cell.row) & said)


def _cells(a: Claim, b: Claim, weights: dict[str, float]) -> tuple[float, str]:
    """Cell against cell: same row name and head. Cell against sentence: head met and the row's name covered."""
    if a.row and b.row:
        same = bool(a.head) and set(a.row) == set(b.row) and set(a.head) == set(b.head)
        return (0.95, "the same row and column of two tables") if same else (0.0, "")
    if not _head_is_met(a, b):
        return 0.0, ""
    cell, prose = (a, b) if a.row else (b, a)
    said = set(prose.own) | set(prose.context)
    total = sum(weights.get(s, 1.0) for s in cell.row)
    met = sum(weights.get(s, 1.0) for s in cell.row if s in said)
    covered = met / total if total else 0.0
    return (covered * 0.9, "a table cell and a sentence about its row") if covered >= ROW_COVERED else (0.0, "")
