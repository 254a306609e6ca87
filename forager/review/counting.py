"""How many excerpts a statement rests on, and how many independent origins they come from."""

from collections.abc import Collection
from itertools import batched

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from forager.model.models import Evidence, KnowledgeBase, Statement

BATCH = 400


def evidence(base: KnowledgeBase, items: Collection[str]) -> None:
    """Counts anew what these statements rest on, as the base's current revision shows it."""
    for some in batched(sorted(items), BATCH):
        seen = Evidence.objects.at(base.current_revision).filter(base=base, item_id=OuterRef("item_id")).order_by()
        counts = seen.values("item_id").annotate(n=Count("pk"), origins=Count("source__origin_id", distinct=True))
        Statement.objects.at(base.current_revision).filter(base=base, item_id__in=some).update(
            evidence_count=Coalesce(Subquery(counts.values("n")), 0),
            origins=Coalesce(Subquery(counts.values("origins")), 0),
        )
