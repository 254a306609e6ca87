"""How well a folder of probes is understood: ``python -m bench.quality [FOLDER …] [--verbose] [--sealed]``.

A probe is a YAML file with documents and gold (see tests/cases/README.md). Counted as a careful reader would:
statements found, values understood, conflicts found with every side apart, conflicts that are none, near misses taken
for one.
``--sealed`` prints counts only; ``--cases`` reads folders of real files with a ``gold.json`` instead.
"""

import argparse
import itertools
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from forager.extraction.model import Extracted
from forager.extraction.values import scan
from forager.resolution.conflicts import FoundConflict
from forager.resolution.placed import Placed
from forager.resolution.understanding import Understanding, understand

ROOT = Path(__file__).resolve().parents[1]
PROBES = ROOT / "tests" / "cases"


@dataclass(frozen=True)
class Probe:
    id: str
    kind: str
    contents: Mapping[str, bytes]
    gold: Mapping[str, Any]


def probes(folder: Path) -> Iterator[Probe]:
    for path in sorted(folder.glob("*.yaml")):
        gold = yaml.safe_load(path.read_text(encoding="utf-8"))
        contents = {d["name"]: d["text"].encode() for d in gold["documents"]}
        yield Probe(gold["id"], _kind(gold), contents, gold)


def cases(folder: Path) -> Iterator[Probe]:
    for path in sorted(folder.glob("*/gold.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        contents = {name: (path.parent / name).read_bytes() for name in gold["files"]}
        yield Probe(gold["id"], _kind(gold), contents, gold)


def _kind(gold: Mapping[str, Any]) -> str:
    found = gold.get("conflicts") or []
    return str(found[0].get("kind", "value")).split(";")[0].split(":")[0].split("(")[0].strip() if found else "none"


def score(probe: Probe, told: list[str]) -> Counter[str]:
    """The counts of one probe; ``told`` collects what went wrong in words."""
    read = understand(probe.contents)
    n: Counter[str] = Counter()
    for want in probe.gold.get("statements") or []:
        _statement(read, want, n, told)
    _conflicts(read, probe, n, told)
    for near in probe.gold.get("non_conflicts") or []:
        n["near"] += 1
        if any(apart(c, near["sides"]) for c in read.conflicts):
            n["false"] += 1
            told.append(f"false alarm: {near['why']}: {[s['excerpt'] for s in near['sides']]}")
    return n


def _statement(read: Understanding, want: Mapping[str, Any], n: Counter[str], told: list[str]) -> None:
    n["statements"] += 1
    document = read.documents.get(want["file"])
    on = [e for e in read.said.get(want["file"], ()) if document and _rests(document.text[e.start : e.end], want)]
    n["found"] += bool(on)
    if not on:
        told.append(f"statement not found: {want['file']}: {want['excerpt']}")
    if on and want.get("value"):
        n["values"] += 1
        good = any(_same_value(str(want["value"]), e) for e in on)
        n["understood"] += good
        if not good:
            told.append(f"value not understood: {want['value']} in: {want['excerpt']}")


def _conflicts(read: Understanding, probe: Probe, n: Counter[str], told: list[str]) -> None:
    taken: set[int] = set()
    for want in probe.gold.get("conflicts") or []:
        n["conflicts"] += 1
        hit = next((at for at, c in enumerate(read.conflicts) if at not in taken and apart(c, want["sides"])), None)
        if hit is None:
            told.append(f"conflict not found: {want['subject']} / {want['attribute']}: {_words(want['sides'])}")
        else:
            taken.add(hit)
            n["met"] += 1
    n["reported"] += len(read.conflicts)
    n["right"] += len(taken)
    for at, conflict in enumerate(read.conflicts):
        if at not in taken:
            told.append(f"unlabelled conflict: {conflict.key}: {[s.members[0].statement for s in conflict.sides]}")


def _words(sides: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{s['file']}: {s['excerpt']}" for s in sides]


def apart(conflict: FoundConflict, sides: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every gold side sits on a side of its own."""
    seats = [[k for k, own in enumerate(conflict.sides) if holds(own.members, s)] for s in sides]
    return all(seats) and any(len(set(choice)) == len(choice) for choice in itertools.product(*seats))


def holds(members: Sequence[Placed], side: Mapping[str, Any]) -> bool:
    return any(m.origin.path == side["file"] and _rests(m.excerpt_hash, side) for m in members)


def _rests(excerpt: str, want: Mapping[str, Any]) -> bool:
    have, gold = _squeeze(excerpt), _squeeze(want["excerpt"])
    room = 2 * len(gold) + 40 if len(gold) >= 20 else 160
    return bool(have and gold) and (
        (gold in have and len(have) <= room) or (have in gold and len(have) >= 0.6 * len(gold))
    )


def _squeeze(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


def _same_value(gold: str, one: Extracted) -> bool:
    frame = one.frame
    parts = [*one.values, *((frame.value, frame.unit, frame.value_raw) if frame else ())]
    have = " ".join(p for p in parts if p)
    if wanted := _numbers(gold) or _numbers(" ".join(v.shown for v in scan.find(gold, "en", ""))):
        return wanted <= _numbers(have)
    return bool(have) and (_squeeze(gold).casefold() in _squeeze(have).casefold())


def _numbers(text: str) -> set[str]:
    found = re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))
    return {n.rstrip("0").rstrip(".") if "." in n else n for n in found}


def line(name: str, n: Counter[str]) -> str:
    def share(a: str, b: str) -> str:
        return f"{n[a]}/{n[b]}={n[a] / n[b]:.2f}" if n[b] else "none"

    return (
        f"{name:24} statements {share('found', 'statements')}  values {share('understood', 'values')}  "
        f"recall {share('met', 'conflicts')}  precision {share('right', 'reported')}  false {n['false']}/{n['near']}"
    )


def table(kinds: Mapping[str, Counter[str]]) -> Iterator[str]:
    """Recall and precision of each kind of case, as rows of a Markdown table."""
    yield "| kind of case | conflicts found | reported that are right | near misses taken for one |"
    yield "| --- | --- | --- | --- |"
    for kind, n in sorted(kinds.items()):
        yield f"| {kind} | {n['met']}/{n['conflicts']} | {n['right']}/{n['reported']} | {n['false']}/{n['near']} |"


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folders", nargs="*", type=Path)
    ask.add_argument("--verbose", action="store_true")
    ask.add_argument("--sealed", action="store_true", help="counts only")
    ask.add_argument("--table", action="store_true", help="one row a kind of case, as Markdown")
    ask.add_argument("--cases", action="store_true", help="folders of files with a gold.json")
    given = ask.parse_args()
    folders = given.folders or sorted(p for p in PROBES.glob("*") if p.is_dir() and p.name != "sealed")
    total: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for folder in folders:
        batch: Counter[str] = Counter()
        for probe in cases(folder) if given.cases else probes(folder):
            told: list[str] = []
            n = score(probe, told)
            batch += n
            kinds[probe.kind] += n
            if given.verbose and told and not given.sealed:
                _say(f"{probe.id}: {probe.gold['title']}", *(f"    {t}" for t in told))
        _say(line(folder.name, batch))
        total += batch
    if given.table:
        _say("", *table(kinds))
    elif not given.sealed:
        _say("", *(line(f"  {kind}", n) for kind, n in sorted(kinds.items())))
    _say(line("all", total))
    return 0


def _say(*lines: str) -> None:
    for text in lines:
        sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
