"""Fits the weights of likeness on the opened probes: ``python -m bench.fit [FOLDER …]``; prints them as YAML.

A pair of claims that differ is right when they stand on two sides of one labelled conflict; of several such pairs for
one conflict only the likeliest counts, for it is enough to find one. Logistic regression with a quadratic penalty, by
gradient descent in a fixed order, so that the same probes give the same weights.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import quality
from forager.resolution import likeness
from forager.resolution.equality import Verdict, compare
from forager.resolution.likeness import Features
from forager.resolution.pairing import Work, candidates
from forager.resolution.parting import one_key, parted
from forager.resolution.understanding import placed_claims, understand

PENALTY = 0.5
ROUNDS = 3
STEPS = 400
RATE = 0.5
WRONG = -1


@dataclass(frozen=True)
class Sample:
    """A pair's features and the conflict of its probe that it belongs to, or ``WRONG``."""

    probe: str
    conflict: int
    features: Features


def samples(probes: Sequence[quality.Probe]) -> Iterator[Sample]:
    for probe in probes:
        claims = placed_claims(understand(probe.contents))
        around = likeness.surroundings(claims)
        for a, b in candidates(claims, around, Work()):
            found = likeness.features(a, b, around)
            settled = one_key(a, b) or parted(a, b) or (found.get("two cells") and not found.get("one cell"))
            if not settled and compare(a.claim, b.claim) is Verdict.DIFFER:
                yield Sample(probe.id, _conflict(probe, a, b), found)


def _conflict(probe: quality.Probe, a: likeness.Placed, b: likeness.Placed) -> int:
    for number, conflict in enumerate(probe.gold.get("conflicts") or []):
        seats = [{n for n, side in enumerate(conflict["sides"]) if quality.holds([p], side)} for p in (a, b)]
        if any(x != y for x in seats[0] for y in seats[1]):
            return number
    return WRONG


def fit(found: Sequence[Sample]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for step in range(ROUNDS):
        weights = _descend([(s.features, float(s.conflict != WRONG)) for s in _chosen(found, weights, step)])
    return weights


def _chosen(found: Sequence[Sample], weights: dict[str, float], step: int) -> list[Sample]:
    best: dict[tuple[str, int], Sample] = {}
    for sample in found:
        at = (sample.probe, sample.conflict)
        if at not in best or _sum(weights, sample.features) > _sum(weights, best[at].features):
            best[at] = sample
    return [s for s in found if s.conflict == WRONG or step == 0 or best[s.probe, s.conflict] is s]


def _sum(weights: dict[str, float], features: Features) -> float:
    return sum(weights.get(name, 0.0) * x for name, x in features.items())


def _descend(pairs: Sequence[tuple[Features, float]]) -> dict[str, float]:
    """Full-batch gradient descent with a step for each weight (Adagrad)."""
    weights = dict.fromkeys(sorted({name for features, _ in pairs for name in features}), 0.0)
    squares = dict.fromkeys(weights, 1e-6)
    for _ in range(STEPS):
        slope = {name: (0.0 if name == "bias" else PENALTY * w) for name, w in weights.items()}
        for features, right in pairs:
            error = 1 / (1 + math.exp(-_sum(weights, features))) - right
            for name, x in features.items():
                slope[name] += error * x
        for name, s in slope.items():
            squares[name] += s * s
            weights[name] -= RATE * s / math.sqrt(squares[name])
    return weights


def main() -> int:
    folders = [Path(a) for a in sys.argv[1:]] or sorted(
        p for p in quality.PROBES.glob("*") if p.is_dir() and p.name != "sealed"
    )
    weights = fit(list(samples([p for folder in folders for p in quality.probes(folder)])))
    for name, weight in sorted(weights.items()):
        sys.stdout.write(f"  {name}: {weight:.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
