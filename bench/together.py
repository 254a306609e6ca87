"""What many matters in one base do to each other: ``python -m bench.together [FOLDER …] [--at-once N]``.

Probes are on matters that have nothing to do with each other. Their documents are read N probes at once (all of them
without ``--at-once``), as one base; a disagreement between documents of two probes is wrong, unless by chance. Prints
counts only, so that the sealed half can be asked, too.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench import quality
from bench.quality import Probe
from forager.resolution.conflicts import FoundConflict
from forager.resolution.understanding import understand


def score(probes: Sequence[Probe]) -> Counter[str]:
    """Of one base: ``conflicts`` expected and ``met``; ``within`` one probe reported and ``across`` several."""
    read = understand({_path(probe, name): text for probe in probes for name, text in probe.contents.items()})
    n: Counter[str] = Counter(documents=len(read.documents))
    for found in read.conflicts:
        n["across" if len(_probes_of(found)) > 1 else "within"] += 1
    for probe in probes:
        for want in probe.gold.get("conflicts") or []:
            sides = [{**side, "file": _path(probe, side["file"])} for side in want["sides"]]
            n["conflicts"] += 1
            n["met"] += any(quality.apart(found, sides) for found in read.conflicts)
    return n


def scored(probes: Sequence[Probe], at_once: int) -> Counter[str]:
    parts = (score(probes[at : at + at_once]) for at in range(0, len(probes), at_once))
    return sum(parts, Counter())


def _path(probe: Probe, name: str) -> str:
    return f"{probe.id}/{name}"


def _probes_of(found: FoundConflict) -> set[str]:
    return {member.origin.path.partition("/")[0] for side in found.sides for member in side.members}


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folders", nargs="*", type=Path)
    ask.add_argument("--at-once", type=int, default=0)
    given = ask.parse_args()
    folders = given.folders or sorted(quality.PROBES.glob("batch-*"))
    probes = [probe for folder in folders for probe in quality.probes(folder)]
    n = scored(probes, given.at_once or len(probes))
    sys.stdout.write(
        f"{n['documents']} documents: {n['met']} of {n['conflicts']} expected conflicts found, "
        f"{n['within']} reported within one matter, {n['across']} across matters\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
