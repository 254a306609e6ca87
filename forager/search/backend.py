"""The seam: what any search backend answers. Which one is active follows the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db.models import QuerySet

from forager.model import states
from forager.model.models import Evidence, KnowledgeBase


@dataclass(frozen=True, slots=True)
class Where:
    """What a reader may see, applied inside the query. ``min_support`` lists the levels allowed, empty for all."""

    base: KnowledgeBase
    include_historical: bool = False
    supports: tuple[str, ...] = ()
    band: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of a ranking: a statement's row id or a chunk's id, best first; ``score`` is the backend's own."""

    ref: str
    score: float


class SearchBackend(Protocol):
    name: str
    index_version: str

    def index_pending(self, base: KnowledgeBase) -> None: ...
    def index_all(self, base: KnowledgeBase) -> None: ...
    def is_there(self, base: KnowledgeBase) -> bool: ...
    def is_whole(self, base: KnowledgeBase) -> bool: ...
    def drop(self, base: KnowledgeBase) -> None: ...
    def forget_statements(self, base: KnowledgeBase, rows: Sequence[int]) -> None: ...
    def forget_sources(self, base: KnowledgeBase, sources: Sequence[str]) -> None: ...
    def statements(self, where: Where, words: Sequence[str], *, limit: int) -> list[Ranked]: ...
    def chunks(self, where: Where, words: Sequence[str], *, limit: int) -> list[Ranked]: ...


READABLE = ("active", "disputed", "unresolved", "stale")
HISTORICAL = ("superseded", "archived")


def in_band(where: Where) -> QuerySet[Evidence, str]:
    """Ids of the statements that a document of this band tells; a withheld one opens nothing."""
    told = Evidence.objects.at(where.base.current_revision).filter(base=where.base)
    mine = told.filter(source__document__band=where.band, source__document__state__in=states.SPEAKS)
    return mine.values_list("item_id", flat=True)


def statuses(where: Where) -> tuple[str, ...]:
    return READABLE + HISTORICAL if where.include_historical else READABLE
