"""Where documents that govern what others say disagree: their owners settle it, or a ruling is an exception."""

from collections.abc import Mapping
from dataclasses import dataclass

from knowledge.records import Conflict, Source
from knowledge.reviewing import Brief

TWINS = "duplicate_source"


@dataclass(frozen=True, slots=True)
class Authority:
    """A governing document of one side. ``owner`` is empty where none is named."""

    side_id: str
    name: str
    owner: str


def contradictory(brief: Brief) -> tuple[Authority, ...]:
    """The governing documents of a conflict, when they stand on more than one side of it; else none."""
    return contradictory_among(brief.conflict, {each.id: each for each in brief.sources})


def contradictory_among(conflict: Conflict, sources: Mapping[str, Source]) -> tuple[Authority, ...]:
    """The same, of sources by id; what is not among them governs nothing."""
    if conflict.type == TWINS:
        return ()
    found = tuple(
        Authority(side.id, source.name, source.owner)
        for side in conflict.sides
        for source in _governing([sources[key] for key in side.source_ids if key in sources])
    )
    return found if len({each.side_id for each in found}) > 1 else ()


def owners_of(authorities: tuple[Authority, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.owner for each in authorities if each.owner))


def _governing(sources: list[Source]) -> list[Source]:
    return [each for each in sources if each.authoritative and each.superseded_by is None]
