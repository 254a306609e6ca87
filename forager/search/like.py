"""The fallback where SQLite lacks FTS5: substring matches, weighted by field. Same shape, thinner results."""

from collections.abc import Sequence

from django.db.models import Case, FloatField, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable

from forager.model.models import KnowledgeBase, Statement
from forager.search.backend import Ranked, Where, in_band, statuses

WEIGHTS = (("text", 2.0), ("title", 1.0), ("subject", 1.0))


class Like:
    name = "sqlite-like"
    index_version = "like-1"

    def index_pending(self, base: KnowledgeBase) -> None:
        """There is no index to fill."""

    def index_all(self, base: KnowledgeBase) -> None:
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

    def statements(self, where: Where, words: Sequence[str], *, limit: int) -> list[Ranked]:
        rows: QuerySet[Statement] = Statement.objects.at(where.base.current_revision).filter(
            base=where.base, status__in=statuses(where)
        )
        if where.supports:
            rows = rows.filter(support__in=where.supports)
        if where.band:
            rows = rows.filter(item_id__in=in_band(where))
        anywhere, score = Q(), Value(0.0, output_field=FloatField())
        total: Combinable = score
        for word in words:
            for field, weight in WEIGHTS:
                hit = Q(**{f"{field}__icontains": word})
                anywhere |= hit
                total = total + Case(When(hit, then=Value(weight)), default=Value(0.0), output_field=FloatField())
        found = rows.filter(anywhere).annotate(weight=total).order_by("-weight", "item_id")[:limit]
        return [Ranked(str(pk), float(weight)) for pk, weight in found.values_list("pk", "weight")]

    def chunks(self, where: Where, words: Sequence[str], *, limit: int) -> list[Ranked]:
        return []
