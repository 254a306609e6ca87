"""``search``, ``recall`` and ``neighbors`` from the command line, as the API answers them."""

import argparse
import sys
from collections.abc import Iterator

from forager.api.narrowed import answered
from forager.model.models import KnowledgeBase
from forager.process.declaring import Subparsers
from forager.search import fusion, graph
from forager.search import recall as tiers
from forager.search.backend import Where

LIMIT = 10


def declare(commands: Subparsers) -> None:
    for name, what, lines in (
        ("search", "ranked statements, and why each is there", _search),
        ("recall", "statements, else summaries of sources, else raw lines, or nothing", _recall),
        ("neighbors", "what is said around an entity, given by id or name", _neighbors),
    ):
        parser = commands.add_parser(name, help=what)
        parser.add_argument("text", help="the question, or the entity")
        parser.add_argument("--base", required=True, help="a base's id or name")
        parser.add_argument("--limit", type=int, default=LIMIT)
        if name == "neighbors":
            parser.add_argument("--depth", type=int, choices=(1, 2), default=1)
        parser.set_defaults(run=_run, lines=lines)


def _run(given: argparse.Namespace) -> int:
    by_id = KnowledgeBase.objects.filter(pk=given.base).first()
    base = by_id or KnowledgeBase.objects.filter(name=given.base).order_by("created_at").first()
    if base is None:
        print("there is no such base", file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    for line in given.lines(Where(base), given):
        print(line)  # noqa: T201 - a command's answer
    return 0


def _search(where: Where, given: argparse.Namespace) -> Iterator[str]:
    ask = answered(where.base, lambda b: fusion.search(where, given.text, b, limit=given.limit, include_chunks=False))
    yield from _statements(ask[1].statements)


def _recall(where: Where, given: argparse.Namespace) -> Iterator[str]:
    _, found = answered(where.base, lambda b: tiers.recall(where, given.text, b, min_hits=1, limit=given.limit))
    yield f"answered by: {found.tier}"
    if found.found:
        yield from _statements(found.found.statements)
    for one in found.summaries:
        yield f"{one.source.path}: {one.summary.title}"
        yield from (f"    {sentence.text}" for sentence in one.summary.sentences)
    for lines in found.lines:
        yield f"{lines.chunk.source.path} ({lines.chunk.location})"
        yield from (f"    {line.text}" for line in lines.lines)


def _neighbors(where: Where, given: argparse.Namespace) -> Iterator[str]:
    start = graph.find(where, given.text)
    if start is None:
        yield "nothing goes by this id or name"
        return
    found = graph.neighbours(where, start, depth=given.depth, limit=given.limit)
    names = {i: e.canonical_name for i, e in graph.entities_of(where, found.entities).items()}
    for edge in found.edges:
        ends = f"{names.get(edge.from_id, '')} → {names.get(edge.to_id, '')}".rstrip("→ ")
        yield f"{edge.row.item_id}  {ends}: {edge.row.text}"


def _statements(found: list[fusion.FoundStatement]) -> Iterator[str]:
    for hit in found:
        yield f"{hit.score:.4f}  {hit.row.item_id}  {hit.row.text}"
        yield f"    {hit.why}"
