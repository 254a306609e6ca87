"""The fallback without an index: substring matches, weighted by field. Same shape, thinner results."""

from collections.abc import Sequence

from django.db.models import Case, F, FloatField, Q, Value, When
from django.db.models.expressions import Combinable

from forager.model import dialect
from forager.model.models import KnowledgeBase
from forager.search import looking, narrowing
from forager.search.backend import Depth, Ranked, Wanted, Where

WEIGHTS = (("text", 2.0), ("title", 1.0), ("subject", 1.0))


class Like:
    @property
    def name(self) -> str:
        return "postgres-like" if dialect.is_postgres() else "sqlite-like"

    index_version = "like-1"

    def index_pending(self, base: KnowledgeBase) -> None:
        """There is no index to fill."""

    def index_all(self, base: KnowledgeBase) -> None:
        """There is no index to fill."""

    def rebuild(self, base: KnowledgeBase) -> None:
        """There is no index to make."""

    def index_rows(self, base: KnowledgeBase, rows: Sequence[int]) -> None:
        """There is no index to fill."""

    def is_there(self, base: KnowledgeBase) -> bool:
        return True

    def is_whole(self, base: KnowledgeBase) -> bool:
        return True

    def drop(self, base: KnowledgeBase) -> None:
        """There is no index to drop."""

    def forget_statements(self, base: KnowledgeBase, rows: Sequence[int]) -> None:
        """The rows themselves are searched."""

    def forget_sources(self, base: KnowledgeBase, sources: Sequence[str]) -> None:
        """The rows themselves are searched."""

    def statements(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        anywhere, score = Q(), Value(0.0, output_field=FloatField())
        total: Combinable = score
        for word in wanted.words:
            for field, weight in WEIGHTS:
                hit = Q(**{f"{field}__icontains": word})
                anywhere |= hit
                total = total + Case(When(hit, then=Value(weight)), default=Value(0.0), output_field=FloatField())
        found = (
            narrowing.readable(where)
            .filter(anywhere)
            .annotate(weight=total * F("confidence"))
            .order_by("-weight", "item_id")
        )
        weights = dict(found.values_list("pk", "weight")[: depth.limit])
        seen = looking.statements(where, list(weights))
        return [Ranked(str(pk), float(weight), seen[pk].sources) for pk, weight in weights.items() if pk in seen]

    def chunks(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        return []
