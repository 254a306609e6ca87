"""All opened probes, and the sealed ones by count: understanding must not fall behind what docs/quality.md says."""

from collections import Counter
from pathlib import Path

import pytest

from bench import quality

OPENED = sorted(p for p in quality.PROBES.glob("*") if p.is_dir() and p.name != "sealed")


def counted(folders: list[Path]) -> Counter[str]:
    total: Counter[str] = Counter()
    for folder in folders:
        for probe in quality.probes(folder):
            total += quality.score(probe, [])
    return total


@pytest.mark.parametrize(
    ("folders", "recall", "precision", "false_alarms"),
    [(OPENED, 0.26, 0.68, 0.05), ([quality.PROBES / "sealed"], 0.30, 0.60, 0.07)],
    ids=["opened", "sealed"],
)
def test_understanding_holds_its_level(
    folders: list[Path], recall: float, precision: float, false_alarms: float
) -> None:
    n = counted(folders)
    assert n["conflicts"] > 100
    assert n["found"] >= 0.97 * n["statements"]
    assert n["understood"] >= 0.80 * n["values"]
    assert n["met"] >= recall * n["conflicts"]
    assert n["right"] >= precision * n["reported"]
    assert n["false"] <= false_alarms * n["near"]
