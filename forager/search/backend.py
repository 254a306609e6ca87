"""The seam: what any search backend answers. Which one is active follows the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from forager.model.models import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Where:
    """What a reader may see and asked to see, applied inside every query.

    ``base`` stands at the revision to read. ``supports`` lists the levels allowed, empty for all; ``facets`` are exact
    (see ``narrowing.FACETS``). ``as_of`` and ``fresh_since`` are ISO days; at ``known_at`` the base must have held it.
    """

    base: KnowledgeBase
    include_historical: bool = False
    supports: tuple[str, ...] = ()
    band: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)
    as_of: str = ""
    known_at: datetime | None = None
    fresh_since: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The words of a question as an index takes them, repeats kept; ``beginning`` may be the first letters of one.

    ``only_common``: none of them tells anything, so that looking at every row that has one would cost much for little.
    """

    words: tuple[str, ...]
    beginning: str = ""
    only_common: bool = False


class Ranked(NamedTuple):
    """A row of a ranking: a statement's row id or a chunk's id, best first; ``score`` is the backend's own.

    A statement's score is weighted by its confidence. ``sources`` has the source of each excerpt it rests on; a chunk
    stands in one.
    """

    ref: str
    score: float
    sources: Sequence[str] = ()

    @property
    def source(self) -> str:
        """Of a chunk."""
        return self.sources[0]


class Depth(NamedTuple):
    """How far down an index is read: to ``limit`` rows, deeper where fewer than ``least`` of them may be seen."""

    limit: int
    least: int


class SearchBackend(Protocol):
    index_version: str

    @property
    def name(self) -> str: ...

    def index_pending(self, base: KnowledgeBase) -> None: ...
    def index_all(self, base: KnowledgeBase) -> None: ...
    def rebuild(self, base: KnowledgeBase) -> None: ...
    def index_rows(self, base: KnowledgeBase, rows: Sequence[int]) -> None: ...
    def is_there(self, base: KnowledgeBase) -> bool: ...
    def is_whole(self, base: KnowledgeBase) -> bool: ...
    def drop(self, base: KnowledgeBase) -> None: ...
    def forget_statements(self, base: KnowledgeBase, rows: Sequence[int]) -> None: ...
    def forget_sources(self, base: KnowledgeBase, sources: Sequence[str]) -> None: ...

    def statements(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        """Ranked by the index; rows that may not be seen are left out."""
        ...

    def chunks(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]: ...


READ_AHEAD = 4
"""A ranking is read this many times deeper than what is shown of it."""


def asks_beginnings(wanted: Wanted, found: Sequence[Ranked], limit: int) -> bool:
    """Words that only begin like the last one stand below whole words: where these fill the answer, none is seen."""
    return bool(wanted.beginning) and len(found) * READ_AHEAD < limit


READABLE = ("active", "disputed", "unresolved", "stale")
HISTORICAL = ("superseded", "archived")
HIDDEN = ("withheld",)
