"""Runs the single measurements of ``bench.table`` and reads what they print."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests import postgres

PAGE = re.compile(r"^(?P<name>.+?)\s+p50\s+(?P<half>\d+) ms\s+p95\s+(?P<most>\d+) ms", re.MULTILINE)
RATE = re.compile(r"^(?P<name>registered|read)\s+(?P<rate>[\d.]+) a second", re.MULTILINE)
LOADING = {"registered": "files registered a second", "read": "files read a second"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where to measure: ``database`` gives the URL of a fresh database of a name, "" for SQLite."""

    database: Callable[[str], str]

    def environment(self, folder: Path, name: str) -> dict[str, str]:
        mine = {key: value for key, value in os.environ.items() if key != postgres.VARIABLE}
        folder.mkdir(exist_ok=True)
        mine["FORAGER_DATA_DIR"] = str(folder)
        for variable, kind in (("FORAGER_DATABASE_URL", "engine"), ("ANTHILL_DATABASE_URL", "console")):
            if url := self.database(f"{kind}_{name}"):
                mine[variable] = url
        return mine


@dataclass(frozen=True, slots=True)
class Amounts:
    statements: int
    files: int
    rounds: int

    @property
    def tenth(self) -> int:
        return self.statements // 10


@dataclass(frozen=True, slots=True)
class Figure:
    """Milliseconds at p50 and p95; of a rate or a size only the first counts."""

    half: float
    most: float = 0.0


type Figures = Mapping[str, Figure]


def measure(place: Place, amounts: Amounts) -> Figures:
    """By name; what is measured at several sizes has the size before it."""
    found: dict[str, Figure] = {}
    for size in (amounts.tenth, amounts.statements):
        found |= {f"{size}: {name}": figure for name, figure in _search(place, size).items()}
    return found | _pages(place, amounts) | _loading(place, amounts)


def _search(place: Place, size: int) -> dict[str, Figure]:
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        key.write_text("bench-key", encoding="utf-8")
        environment = {**place.environment(Path(folder), f"search_{size}"), "FORAGER_OPERATOR_KEY_FILE": str(key)}
        said = _run(["-m", "bench.search_run", str(size), "0"], environment)
    found = {}
    for line in said.splitlines():
        _, _, name, half, most, *_ = [part.strip() for part in line.split("|")] + [""] * 5
        if name:
            found[name] = Figure(float(half.removesuffix(" MB")), float(most or 0))
    return found


def _pages(place: Place, amounts: Amounts) -> dict[str, Figure]:
    with tempfile.TemporaryDirectory() as folder:
        environment = place.environment(Path(folder) / "data", "pages")
        filled = _run(["-m", "bench.fill", str(amounts.statements), str(amounts.tenth)], environment)
        said = _run(["-m", "bench.pages", folder, filled.split()[-1], str(amounts.rounds)], environment)
    return {f"page: {m['name'].strip()}": Figure(float(m["half"]), float(m["most"])) for m in PAGE.finditer(said)}


def _loading(place: Place, amounts: Amounts) -> dict[str, Figure]:
    with tempfile.TemporaryDirectory() as folder:
        said = _run(["-m", "bench.loading", str(amounts.files)], place.environment(Path(folder), "loading"))
    return {LOADING[m["name"]]: Figure(float(m["rate"])) for m in RATE.finditer(said)}


def _run(command: list[str], environment: Mapping[str, str]) -> str:
    sys.stderr.write(f"{' '.join(command)}\n")
    done = subprocess.run(  # noqa: S603
        [sys.executable, *command], env=dict(environment), stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout
