"""What statements name together with an entity: rows of a table, and the same as a picture with links."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from console.pages.show.text import visible_line
from console.wording import plural
from knowledge.records import EntityRef, Neighbours

DRAWN = 12
WIDTH, HEIGHT = 720, 400
REACH_X, REACH_Y = 190, 150
LABEL = 26
LEAN = 0.3
WIDEST = 6


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity named together with another by ``statement_count`` statements; ``statement_id`` is one of them."""

    entity: EntityRef
    statement_count: int
    statement_id: str
    statement: str


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    name: str
    kind: str
    url: str
    count: str
    statement: str
    statement_url: str


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the picture; ``anchor`` is start, middle or end, ``width`` that of its line. All in its units."""

    x: int
    y: int
    label: str
    label_x: int
    label_y: int
    anchor: str
    width: float
    url: str
    words: str


def around(found: Neighbours) -> list[Neighbour]:
    """The entities one statement away, those named together most first."""
    names = {ref.id: ref for ref, away in found.entities if away == 1}
    by_entity: dict[str, dict[str, str]] = {key: {} for key in names}
    for edge in found.edges:
        for end in (edge.from_id, edge.to_id):
            if end in by_entity:
                by_entity[end].setdefault(edge.statement.id, edge.statement.text)
    listed = [Neighbour(names[key], len(said), *next(iter(said.items()))) for key, said in by_entity.items() if said]
    return sorted(listed, key=lambda each: (-each.statement_count, each.entity.name, each.entity.id))


def neighbour_rows(found: Sequence[Neighbour], slug: str) -> list[NeighbourRow]:
    return [
        NeighbourRow(
            name=visible_line(each.entity.name),
            kind=each.entity.type.replace("_", " ").capitalize(),
            url=reverse("entity", args=[slug, each.entity.id]),
            count=f"{each.statement_count:,}",
            statement=visible_line(each.statement),
            statement_url=reverse("statement", args=[slug, each.statement_id]),
        )
        for each in found
    ]


def nodes(found: Sequence[Neighbour], slug: str) -> list[Node]:
    """The first few in a ring around the middle; the more statements name both, the wider the line."""
    drawn = found[:DRAWN]
    most = max((each.statement_count for each in drawn), default=1)
    return [_node(each, 2 * math.pi * at / len(drawn) - math.pi / 2, most, slug) for at, each in enumerate(drawn)]


def _node(each: Neighbour, angle: float, most: int, slug: str) -> Node:
    across, down = math.cos(angle), math.sin(angle)
    x, y = round(WIDTH / 2 + REACH_X * across), round(HEIGHT / 2 + REACH_Y * down)
    name = visible_line(each.entity.name)
    side = "middle" if abs(across) < LEAN else "start" if across > 0 else "end"
    nudge = {"middle": 0, "start": 14, "end": -14}[side]
    drop = 5 if side != "middle" else 26 if down > 0 else -16
    return Node(
        x=x,
        y=y,
        label=name if len(name) <= LABEL else f"{name[: LABEL - 1].rstrip()}…",
        label_x=x + nudge,
        label_y=y + drop,
        anchor=side,
        width=round(1 + (WIDEST - 1) * each.statement_count / most, 1),
        url=reverse("entity-graph", args=[slug, each.entity.id]),
        words=f"{name}, {plural(each.statement_count, 'statement', 'statements')}",
    )
