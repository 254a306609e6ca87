"""How likely two claims of one family speak of the same thing: named features, weighed by a fitted table.

Each feature is a number from 0 to 1 that a person can check on the two sentences. The weights (``data/likeness.yaml``)
are the log odds that ``bench.fit`` learns from the opened probes; nothing is learned while the engine runs.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Claim
from forager.resolution.equality import family
from forager.resolution.matters import Matters
from forager.resolution.placed import Placed

CONTEXT_WEIGHT = 0.75
COGNATE_LETTERS = 5
MOST_SHARED = 4
TWO, HALF = 2, 0.5
MOST_BESIDE = 12
SHORT = 12
LONG = 20
"""Statements up to which a document is a short one, and above which two of them (by their geometric mean) are long."""
MARKS = ("label ", "id:", "weekday:", "ordinal:")
CLOSE_DAYS = 30
CLOSE_MINUTES = 60
Features = dict[str, float]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What likeness needs of all claims: word weights, how many of a kind and how many places each source has, the
    values stated at one place and the headings of each source."""

    weights: Mapping[str, float]
    kinds: Mapping[tuple[str, str], int]
    sizes: Mapping[str, int]
    beside: Mapping[tuple[str, tuple[int, int]], Sequence[Claim]]
    sections: Mapping[str, Set[str]]
    matters: Matters


def surroundings(claims: Sequence[Placed]) -> Surroundings:
    kinds = Counter((p.origin.source_id, kind_of(p.claim)) for p in claims)
    beside: dict[tuple[str, tuple[int, int]], list[Claim]] = defaultdict(list)
    for placed in claims:
        if not placed.claim.type.startswith("polarity"):
            beside[placed.origin.source_id, placed.span].append(placed.claim)
    sizes = Counter(source for source, _ in {(p.origin.source_id, p.span) for p in claims})
    sections: dict[str, set[str]] = defaultdict(set)
    for placed in claims:
        sections[placed.origin.source_id].add(placed.claim.section)
    return Surroundings(weights_of(claims), kinds, sizes, beside, sections, Matters(claims))


def weights_of(claims: Sequence[Placed]) -> dict[str, float]:
    """Rarer words weigh more; in a tiny base the shared words must not be punished, so df counts from 2."""
    spans: dict[tuple[str, tuple[int, int]], set[str]] = {}
    for placed in claims:
        spans.setdefault((placed.origin.source_id, placed.span), set()).update(placed.claim.own)
    df = Counter(s for own in spans.values() for s in own)
    return {s: math.log(1 + (len(spans) + 2) / max(n, 2)) for s, n in df.items()}


def kind_of(claim: Claim) -> str:
    """What a value is an amount of: a family with its unit. Few of one kind in a document point at each other."""
    return f"{family(claim)} {'' if claim.type == 'money' else claim.unit}"


def probability(features: Features) -> float:
    weights = _weights()
    return 1 / (1 + math.exp(-sum(weights.get(name, 0.0) * x for name, x in features.items())))


def features(a: Placed, b: Placed, around: Surroundings) -> Features:
    """Every feature of a pair, by name; absent ones are 0."""
    found = {"bias": 1.0, **_by_type(a.claim, b.claim), **_by_words(a.claim, b.claim, around.weights)}
    found["key"] = float(bool(a.key) and a.key == b.key)
    found["same source"] = float(a.origin.source_id == b.origin.source_id)
    found["other section"] = float(bool(found["same source"]) and a.claim.section != b.claim.section)
    sections = [set(lexicon.fold(c.section).split()) for c in (a.claim, b.claim)]
    found["sections apart"] = float(all(sections) and sections[0].isdisjoint(sections[1]))
    found["scarce"] = _scarcity(a, b, around)
    sizes = [around.sizes.get(p.origin.source_id, 1) for p in (a, b)]
    found["long"] = float(math.sqrt(sizes[0] * sizes[1]) > LONG)
    found |= _by_names(set(a.claim.names), set(b.claim.names))
    found["same mark"] = _same_marks(a.claim, b.claim)
    found["same value beside"] = _same_beside(a, b, around)
    found["close"] = closeness(a.claim, b.claim)
    found |= _by_cells(a.claim, b.claim, around.weights)
    return found


def _scarcity(a: Placed, b: Placed, around: Surroundings) -> float:
    """1 where two short documents have one value of the kind each; the longer they are the less it means."""
    ends = [(p.origin.source_id, kind_of(p.claim)) for p in (a, b)]
    counts = [max(around.kinds.get(end, 1), 1) for end in ends]
    sizes = [max(around.sizes.get(source, 1), SHORT) / SHORT for source, _ in ends]
    return 1 / math.sqrt(counts[0] * counts[1] * sizes[0] * sizes[1])


def _by_type(a: Claim, b: Claim) -> Features:
    group = family(a)
    if group == "amount":
        group = a.type if a.type == b.type else "number"
    elif group.startswith("polarity") or group == "stance":
        group = "stance" if a.type == b.type != "polarity:assertion" else "plain stance"
    elif group in ("code", "phone", "email", "url", "host", "version", "id"):
        group = "code"
    return {f"is {group}": 1.0, "same bound": float(bool(a.bound) and a.bound == b.bound)}


def _by_words(a: Claim, b: Claim, weights: Mapping[str, float]) -> Features:
    own_a, own_b = set(a.own), set(b.own)
    shared = own_a & own_b
    left, right = coverage(a, b, weights), coverage(b, a, weights)
    heavy = [sum(weights.get(s, 1.0) for s in own) for own in (own_a, own_b)]
    met = sum(weights.get(s, 1.0) for s in shared)
    asked_a, asked_b = concepts(a), concepts(b)
    all_a, all_b = own_a | set(a.context), own_b | set(b.context)
    return {
        "more covered": max(left, right),
        "less covered": min(left, right),
        "own shared": met / min(heavy) if min(heavy) else 0.0,
        "own shared by both": met / max(heavy) if max(heavy) else 0.0,
        "words shared": min(len(shared), MOST_SHARED) / MOST_SHARED,
        "one concept": float(bool(asked_a & asked_b)),
        "other concepts": float(bool(asked_a and asked_b and asked_a.isdisjoint(asked_b))),
        "surroundings": len(all_a & all_b) / max(1, min(len(all_a), len(all_b))),
        "cognates": _cognates(own_a - shared, own_b - shared),
        "one-sided": min(len(_own_families(a) ^ _own_families(b)), MOST_SHARED) / MOST_SHARED,
    }


def _by_names(left: set[str], right: set[str]) -> Features:
    if not (left and right):
        return {}
    return {"other names": float(left.isdisjoint(right)), "same names": float(left == right)}


def _same_marks(a: Claim, b: Claim) -> float:
    """Both name the same identifier, numbered thing or weekday."""
    marks = [{q.removeprefix("@") for q in c.qualifiers if q.removeprefix("@").startswith(MARKS)} for c in (a, b)]
    own = [{q for q in c.qualifiers if q.startswith(MARKS)} for c in (a, b)]
    shared = (own[0] & marks[1]) | (own[1] & marks[0])
    return min(len(shared), 2) / 2


def _same_beside(a: Placed, b: Placed, around: Surroundings) -> float:
    """The two places state another equal value too: “late check-out until 14:00”, once for 25 and once for 35 euros."""
    left, right = (around.beside.get((p.origin.source_id, p.span), ()) for p in (a, b))
    if len(left) > MOST_BESIDE or len(right) > MOST_BESIDE:
        return 0.0
    values = {(c.type, c.value, c.unit) for c in right if c is not b.claim}
    shared = {(c.type, c.value, c.unit) for c in left if c is not a.claim} & values
    return min(len(shared), 2) / 2


def _by_cells(a: Claim, b: Claim, weights: Mapping[str, float]) -> Features:
    if a.row and b.row:
        return {
            "one cell": float(bool(a.head) and set(a.row) == set(b.row) and set(a.head) == set(b.head)),
            "two cells": 1.0,
        }
    if not (a.row or b.row):
        return {}
    cell, prose = (a, b) if a.row else (b, a)
    said = set(prose.own) | set(prose.context)
    total = sum(weights.get(s, 1.0) for s in cell.row)
    met = sum(weights.get(s, 1.0) for s in cell.row if s in said)
    return {
        "cell and prose": 1.0,
        "row met": met / total if total else 0.0,
        "head met": float(bool(set(cell.head) & said)),
    }


def coverage(a: Claim, b: Claim, weights: Mapping[str, float]) -> float:
    """The share of ``a``'s own weight that ``b`` says too; what only its surroundings say counts less."""
    own, context = set(b.own), set(b.context)
    total = sum(weights.get(s, 1.0) for s in a.own)
    met = sum(weights.get(s, 1.0) * (1.0 if s in own else CONTEXT_WEIGHT if s in context else 0.0) for s in a.own)
    return met / total if total else 0.0


def mostly_alike(a: Claim, b: Claim, weights: Mapping[str, float]) -> bool:
    """At least two words in common, and half of what either says."""
    shared = set(a.own) & set(b.own)
    weigh = max(sum(weights.get(s, 1.0) for s in set(claim.own)) for claim in (a, b))
    return len(shared) >= TWO and sum(weights.get(s, 1.0) for s in shared) >= HALF * weigh


def concepts(claim: Claim) -> set[str]:
    """What is asked, where the vocabulary knows it: an owner is no contact, a start no end."""
    return {s for s in claim.own if s[0] == "="}


def closeness(a: Claim, b: Claim) -> float:
    """Two values of one thing seldom lie far apart: 1 for neighbours, 0 for values of another size."""
    group = family(a)
    if group == "amount":
        return _ratio(a, b)
    if group == "date":
        days = [_day(c.value) for c in (a, b)]
        return math.exp(-abs(days[0] - days[1]) / CLOSE_DAYS) if None not in days else 0.0  # type: ignore[operator]
    if group == "time":
        minutes = [_minute(c.value) for c in (a, b)]
        return math.exp(-abs(minutes[0] - minutes[1]) / CLOSE_MINUTES)
    return 0.0


def _ratio(a: Claim, b: Claim) -> float:
    try:
        x, y = (float(c.value.partition("..")[0]) for c in (a, b))
    except ValueError:
        return 0.0
    return math.exp(-abs(math.log(x / y))) if x * y > 0 else 0.0


def _day(value: str) -> int | None:
    text = value.partition("..")[0].partition("|")[0]
    try:
        return date.fromisoformat(f"{text}-15"[:10] if len(text) == len("2026-01") else text).toordinal()
    except ValueError:
        return None


def _minute(value: str) -> int:
    hour, _, minute = value.partition("..")[0].partition("|")[0].partition(":")
    return int(hour) * 60 + int(minute or 0)


def _cognates(left: set[str], right: set[str]) -> float:
    """The share of leftover words that begin alike or hold each other (“Lagerdauer”, “gelagert”; “garantie”)."""
    pairs = sum(any(_alike(x, y) for y in right) for x in left)
    return pairs / min(len(left), len(right)) if left and right else 0.0


def _alike(x: str, y: str) -> bool:
    x, y = x.lstrip("=#"), y.lstrip("=#")
    if min(len(x), len(y)) < COGNATE_LETTERS:
        return False
    return x[:COGNATE_LETTERS] == y[:COGNATE_LETTERS] or x[-COGNATE_LETTERS:] == y[-COGNATE_LETTERS:]


def _own_families(claim: Claim) -> set[str]:
    return {q.partition(":")[0] for q in claim.qualifiers if q[0] != "@"}


@cache
def _weights() -> Mapping[str, float]:
    return {name: float(weight) for name, weight in lexicon.load("likeness")["weights"].items()}
