"""Whether excerpts are still what the stored texts say, a few texts at a time."""

from itertools import batched, groupby

from django.db.models import QuerySet

from forager.model.models import Evidence, SourceText

TEXTS_AT_ONCE = 50
ROWS_AT_ONCE = 2000


def not_in_text(rows: QuerySet[Evidence]) -> list[int]:
    """Row ids of the evidence whose ``text[start:end]`` is not its excerpt. One pass over the rows, by source."""
    spans = rows.order_by("source_id").values_list("source_id", "pk", "start", "end", "excerpt")
    by_source = groupby(spans.iterator(ROWS_AT_ONCE), key=lambda row: row[0])
    missing: list[int] = []
    for some in batched(((source, list(found)) for source, found in by_source), TEXTS_AT_ONCE):
        texts = dict(SourceText.objects.filter(pk__in=[s for s, _ in some]).values_list("pk", "text"))
        for source, found in some:
            text = texts.get(source, "")
            missing.extend(pk for _, pk, start, end, excerpt in found if text[start:end] != excerpt)
    return missing
