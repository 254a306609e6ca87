"""Where missed disagreements are lost, by count alone: ``python -m bench.misses FOLDER …``; for sealed folders too."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from bench import quality
from forager.resolution import alignment, likeness
from forager.resolution.equality import Verdict, compare, family
from forager.resolution.placed import Placed
from forager.resolution.understanding import placed_claims, understand


def misses(probe: quality.Probe) -> list[str]:
    """For each missed conflict of a probe the last step that any pair of its claims reached."""
    read = understand(probe.contents)
    claims = placed_claims(read)
    around = likeness.surroundings(claims)
    return [
        _step(claims, around, want["sides"])
        for want in probe.gold.get("conflicts") or []
        if not any(quality.apart(c, want["sides"]) for c in read.conflicts)
    ]


def _step(claims: Sequence[Placed], around: likeness.Surroundings, sides: Sequence[Mapping[str, Any]]) -> str:
    held = [[c for c in claims if quality.holds([c], side)] for side in sides]
    if not all(held):
        return "1 a side claims nothing"
    last = max(_pair(a, b, around) for a, b in product(held[0], held[1]))
    kinds = [", ".join(sorted({c.claim.type for c in claims}, key=lambda t: (len(t), t))) for claims in held[:2]]
    return f"{last}: {' / '.join(kinds)}" if last.startswith("2") else last


def _pair(a: Placed, b: Placed, around: likeness.Surroundings) -> str:
    if family(a.claim) != family(b.claim):
        return "2 no two claims of one type"
    if parted := alignment.parted(a, b):
        return f"3 kept apart: {parted}"
    if not set(a.claim.own) & set(b.claim.own):
        return f"4 no word in common: {a.claim.type}"
    score = alignment.score(a, b, around)
    if score is None:
        return f"5 too little in common: {a.claim.type}"
    verdict = compare(a.claim, b.claim)
    return (
        f"6 values {verdict}: {a.claim.type}"
        if verdict is not Verdict.DIFFER
        else f"7 another matched better: {a.claim.type}"
    )


def main() -> int:
    counts: Counter[str] = Counter()
    for folder in sys.argv[1:]:
        for probe in quality.probes(Path(folder)):
            counts.update(misses(probe))
    for step, n in sorted(counts.items()):
        sys.stdout.write(f"{n:4}  {step}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
