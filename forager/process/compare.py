"""``compare``: which statements a run added, changed or took away, and why."""

import argparse
import dataclasses
import json
import sys

from forager.model.models import KnowledgeBase
from forager.process.declaring import Subparsers
from forager.review.comparison import Comparison, Difference, compare

SIGNS = {"added": "+", "changed": "~", "gone": "-"}


def declare(commands: Subparsers) -> None:
    parser = commands.add_parser("compare", help="what a run changed: statements added, changed and gone, with reasons")
    parser.add_argument("--base", required=True, help="a base's id or name")
    parser.add_argument("--from", dest="before", type=int, help="a revision; the one before --to by default")
    parser.add_argument("--to", dest="after", type=int, help="a revision; the current one by default")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=_compare)


def _compare(given: argparse.Namespace) -> int:
    by_id = KnowledgeBase.objects.filter(pk=given.base).first()
    base = by_id or KnowledgeBase.objects.filter(name=given.base).order_by("created_at").first()
    if base is None:
        print("there is no such base", file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    after = base.current_revision if given.after is None else given.after
    before = after - 1 if given.before is None else given.before
    if not 0 <= before <= after <= base.current_revision:
        print(f"revisions go from 0 to {base.current_revision}", file=sys.stderr)  # noqa: T201 - a command's answer
        return 2
    found = compare(base, before, after)
    for line in _json(found) if given.json else _text(found, before, after):
        print(line)  # noqa: T201 - a command's answer
    return 0


def _json(found: Comparison) -> list[str]:
    lines = [json.dumps(dataclasses.asdict(each), ensure_ascii=False) for each in found.differences]
    return [*lines, json.dumps({"relabelled": found.relabelled, "same": found.same})]


def _text(found: Comparison, before: int, after: int) -> list[str]:
    counts = {kind: sum(each.kind == kind for each in found.differences) for kind in SIGNS}
    told = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    head = f"revision {before} to {after}: {told}, {found.same} the same"
    if found.relabelled:
        head += f", {found.relabelled} by another extractor version alone"
    return [head, *(_line(each) for each in found.differences)]


def _line(each: Difference) -> str:
    fields = f" [{', '.join(each.fields)}]" if each.fields else ""
    return f"{SIGNS[each.kind]} {each.item_id}{fields}  {each.text}\n    {each.reason}"
