"""How fast text becomes statements and claims become conflicts: ``python -m bench.understanding``.

Prints megabytes of text a second on one core (with plain sentence splitting of the same text as the raw baseline), and
for growing numbers of statements how long the conflict pass takes and what a statement costs. The text is made by a
seeded generator: many things of many kinds with values that mostly agree, as in a real base.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator

import sentencex

from forager.extraction import statements
from forager.parsing.registry import parse
from forager.resolution.conflicts import detect
from forager.resolution.understanding import placed_claims, understand

KINDS = ("pump", "licence", "contract", "room", "course", "van", "boiler", "tariff", "ticket", "committee")
PLACES = ("Ashby", "Corley", "Denham", "Elmsett", "Farnley", "Gosford", "Hadley", "Ingham", "Kelby", "Linton")
PHRASES = (
    "The {kind} {name} costs {n} euros a month.",
    "The {kind} {name} opens at {h}:30 on weekdays.",
    "Deliveries for the {kind} {name} arrive on {d} March 2026.",
    "The {kind} {name} is kept in {place} and holds {n} people.",
    "{place} office is responsible for the {kind} {name}.",
    "Visitors may not use the {kind} {name} after {h} pm.",
    "The {kind} {name} weighs {n} kg and is {h} metres long.",
)
PER_DOCUMENT = 200
SIZES = (1_000, 10_000, 100_000)


def sentences(count: int, seed: int = 7) -> Iterator[str]:
    """Things of ten kinds, each with seven facts; one sentence in fifty is said again with another value."""
    chance = random.Random(seed)  # noqa: S311
    for number in range(count):
        thing = number // len(PHRASES)
        name = f"{PLACES[thing * 7 % len(PLACES)]} {thing // 3}{'abc'[thing % 3]}"
        phrase = PHRASES[(number if number % 50 else number + 1) % len(PHRASES)]
        yield phrase.format(
            kind=KINDS[thing % len(KINDS)], name=name, n=10 + chance.randrange(500), h=1 + chance.randrange(9),
            d=1 + chance.randrange(28), place=chance.choice(PLACES),
        )  # fmt: skip


def documents(count: int) -> dict[str, bytes]:
    every = list(sentences(count))
    parts = [every[at : at + PER_DOCUMENT] for at in range(0, count, PER_DOCUMENT)]
    return {f"{n}.md": "\n\n".join([f"# Notes {n}", *part]).encode() for n, part in enumerate(parts)}


def extraction(count: int) -> None:
    contents = documents(count)
    size = sum(map(len, contents.values())) / 1e6
    began = time.process_time()
    for content in contents.values():
        list(sentencex.segment("en", content.decode()))
    raw = time.process_time() - began
    began = time.process_time()
    said = sum(len(statements.read(parse(content, name), name)) for name, content in contents.items())
    spent = time.process_time() - began
    _say(f"extraction: {size:.2f} MB, {said} statements in {spent:.1f} s = {size / spent:.2f} MB/s "
         f"({said / spent:.0f} statements/s); splitting alone {size / raw:.2f} MB/s")  # fmt: skip


def conflicts(count: int) -> None:
    claims = placed_claims(understand(documents(count)))
    began = time.perf_counter()
    found, work = detect(claims)
    spent = time.perf_counter() - began
    _say(f"conflicts: {count:>7} statements, {len(claims):>7} claims, {work.pairs:>9} pairs, {len(found):>6} conflicts "
         f"in {spent:6.1f} s = {1e6 * spent / count:6.0f} µs a statement")  # fmt: skip


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--claims", type=int, nargs="*", default=list(SIZES))
    ask.add_argument("--sentences", type=int, nargs="*", default=[2_000, 10_000], help="1,780,000 are 100 MB")
    given = ask.parse_args()
    for count in given.sentences:
        extraction(count)
    for count in given.claims:
        conflicts(count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
